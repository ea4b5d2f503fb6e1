import { hash } from "node:crypto"
import { Layer } from "effect"
import { Sha256 } from "../../core/domain/Sha256.ts"

/**
 * SHA-256 by node:crypto in this thread. WebCrypto sends each digest to the thread pool, which takes ten times as long.
 */
export const layer = Layer.succeed(Sha256, {
  bytes: (text) => hash("sha256", text, "buffer"),
  hex: (text) => hash("sha256", text, "hex")
})
