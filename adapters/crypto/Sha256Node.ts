import { hash } from "node:crypto"
import { Layer } from "effect"
import { Sha256 } from "../../core/domain/Sha256.ts"

const digest_bytes = 32

/**
 * Decodes a digest from a string. Asking OpenSSL for a buffer is slower, because the buffer has its own memory outside
 * the heap.
 */
const bytesOf = (digest: string): Uint8Array => {
  const bytes = new Uint8Array(digest_bytes)
  for (let place = 0; place < digest_bytes; place++) bytes[place] = digest.charCodeAt(place)
  return bytes
}

/**
 * SHA-256 by node:crypto in this thread. WebCrypto sends each digest to the thread pool, which takes ten times as long.
 */
export const layer = Layer.succeed(Sha256, {
  bytes: (text) => bytesOf(hash("sha256", text, "latin1")),
  hex: (text) => hash("sha256", text, "hex")
})
