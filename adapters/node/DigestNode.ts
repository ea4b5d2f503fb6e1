import { hash } from "node:crypto"
import { Effect, Layer } from "effect"
import { Digest } from "effect/crypto"

// A buffer of OpenSSL's has memory of its own outside the heap, which costs more than to read the digest off a text.
const bytesOf = (algorithm: Digest.Algorithm, data: Uint8Array): Uint8Array =>
  new Uint8Array(Buffer.from(hash(algorithm.name, data, "latin1"), "latin1"))

/**
 * Digests computed at once by node:crypto. A sale takes three of a few hundred bytes; sent to the thread pool, as
 * WebCrypto does, each would cost ten times as much.
 */
export const layer = Layer.succeed(Digest.Digest, {
  digest: (algorithm, data) => Effect.sync(() => bytesOf(algorithm, data)),
  digestHex: (algorithm, data) => Effect.sync(() => hash(algorithm.name, data, "hex"))
})
