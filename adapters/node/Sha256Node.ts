import { hash } from "node:crypto"
import { Layer } from "effect"
import { Sha256 } from "../../core/domain/Sha256.ts"

/** Computed by node:crypto, in this thread: sent to the pool, as WebCrypto does, each would cost ten times as much. */
export const layer = Layer.succeed(Sha256, {
  // A buffer of OpenSSL's has memory of its own outside the heap, which costs more than to read the digest off a text.
  bytes: (text) => new Uint8Array(Buffer.from(hash("sha256", text, "latin1"), "latin1")),
  hex: (text) => hash("sha256", text, "hex")
})
