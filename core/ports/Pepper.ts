import { Context, type Effect } from "effect"

/**
 * The operator's key for token secrets (TOKEN_PEPPER). A thief of the database who lacks the pepper cannot test guesses
 * against the stored hashes.
 */
export class Pepper extends Context.Service<
  Pepper,
  {
    /** A name derived from the pepper that does not reveal it. Null when none is set. */
    readonly name: string | null
    /** HMAC-SHA-256 of a digest with the pepper. Without a pepper returns the digest unchanged. */
    readonly hmac: (digest: Uint8Array) => Effect.Effect<Uint8Array>
  }
>()("saldo/core/Pepper") {}
