import { hash } from "node:crypto"
import { Layer } from "effect"
import { Sha256 } from "../../core/domain/Sha256.ts"

/**
 * SHA-256 by node:crypto in this thread. WebCrypto sends each digest to the thread pool, which takes ten times as long.
 */
export const layer = Layer.succeed(Sha256, {
  // Requests the digest as Latin-1 text, because a Buffer from `hash` has its own memory and takes twice as long.
  bytes: (text) => Buffer.from(hash("sha256", text, "latin1"), "latin1"),
  hex: (text) => hash("sha256", text, "hex")
})
