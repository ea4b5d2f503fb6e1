import { Digest } from "effect/crypto"

const encoder = new TextEncoder()

/** SHA-256 of a text, as 64 hex digits. */
export const sha256Hex = (text: string) =>
  Digest.Digest.use((digest) => digest.digestHex(Digest.sha256, encoder.encode(text)))
