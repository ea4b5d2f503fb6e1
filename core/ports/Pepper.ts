import { Context, type Effect } from "effect"

/**
 * The operator's key for the secrets of tokens. Whoever has the database and not the pepper cannot even try out whether
 * a secret is right.
 */
export class Pepper extends Context.Service<
  Pepper,
  {
    /** Which pepper it is, without telling it; null when there is none. */
    readonly name: string | null
    /** HMAC-SHA-256 of a digest under the pepper; without one the digest as it is. */
    readonly hmac: (digest: Uint8Array) => Effect.Effect<Uint8Array>
  }
>()("saldo/core/Pepper") {}
