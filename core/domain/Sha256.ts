import { Context } from "effect"

/**
 * SHA-256 of a text as UTF-8. Every call takes one and a sale three, of a few hundred bytes each: it is computed at
 * once, and of the text, for bytes would have to be made first, which takes longer.
 */
export class Sha256 extends Context.Service<
  Sha256,
  {
    /** As 32 bytes. */
    readonly bytes: (text: string) => Uint8Array
    /** As 64 hex digits. */
    readonly hex: (text: string) => string
  }
>()("saldo/core/Sha256") {}

/** SHA-256 of a text, as 64 hex digits. */
export const sha256Hex = (text: string) => Sha256.useSync(({ hex }) => hex(text))
