import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { Digest } from "effect/crypto"

/**
 * Digests computed at once by node:crypto. A sale takes three of a few hundred bytes; sent to the thread pool, as
 * WebCrypto does, each would cost ten times as much.
 */
export const layer = Layer.succeed(Digest.Digest, {
  digest: (algorithm, data) => Effect.sync(() => new Uint8Array(createHash(nodeName(algorithm)).update(data).digest())),
  digestHex: (algorithm, data) => Effect.sync(() => createHash(nodeName(algorithm)).update(data).digest("hex"))
})

const nodeName = (algorithm: Digest.Algorithm): string => algorithm.name.replace("-", "").toLowerCase()
