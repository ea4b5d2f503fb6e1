import { hash } from "node:crypto"
import { Effect, Layer } from "effect"
import { Digest } from "effect/crypto"

/**
 * Digests computed at once by node:crypto. A sale takes three of a few hundred bytes; sent to the thread pool, as
 * WebCrypto does, each would cost ten times as much.
 */
export const layer = Layer.succeed(Digest.Digest, {
  digest: (algorithm, data) => Effect.sync(() => new Uint8Array(hash(nodeName(algorithm), data, "buffer"))),
  digestHex: (algorithm, data) => Effect.sync(() => hash(nodeName(algorithm), data, "hex"))
})

const nodeName = (algorithm: Digest.Algorithm): string => algorithm.name.replace("-", "").toLowerCase()
