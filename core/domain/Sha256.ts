import { Context } from "effect"

/**
 * SHA-256 of a UTF-8 text. The port is synchronous and takes text instead of bytes, because hashes are frequent and
 * small. Every call computes one hash and a sale computes three, each over a few hundred bytes.
 */
export class Sha256 extends Context.Service<
  Sha256,
  {
    /** The hash as 32 bytes. */
    readonly bytes: (text: string) => Uint8Array
    /** The hash as 64 hex digits. */
    readonly hex: (text: string) => string
  }
>()("saldo/core/Sha256") {}

/** SHA-256 of a text, as 64 hex digits. */
export const sha256Hex = (text: string) => Sha256.useSync(({ hex }) => hex(text))
