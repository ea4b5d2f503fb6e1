import { hash } from "node:crypto"
import { Layer } from "effect"
import { Sha256 } from "../../core/domain/Sha256.ts"

const digest_bytes = 32

/** A buffer of OpenSSL's has memory of its own outside the heap, which costs more than to read the digest off a text. */
const bytesOf = (digest: string): Uint8Array => {
  const bytes = new Uint8Array(digest_bytes)
  for (let place = 0; place < digest_bytes; place++) bytes[place] = digest.charCodeAt(place)
  return bytes
}

/** Computed by node:crypto, in this thread: sent to the pool, as WebCrypto does, each would cost ten times as much. */
export const layer = Layer.succeed(Sha256, {
  bytes: (text) => bytesOf(hash("sha256", text, "latin1")),
  hex: (text) => hash("sha256", text, "hex")
})
