import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Session } from "../domain/Access.ts"
import type { TokenId } from "../domain/Ids.ts"
import type { KeptSecret } from "../domain/Secret.ts"

/** A token with its company, and its secrets: its own first, then the one before it, if that may still be good. */
export interface Credentials {
  readonly session: Session
  readonly secrets: ReadonlyArray<KeptSecret>
}

/** A call of a token that was let in. */
export interface TokenUse {
  readonly tokenId: TokenId
  readonly at: DateTime.Utc
  /** The secret that was right, and how it is to be kept from now on. */
  readonly secret: { readonly known: KeptSecret; readonly better: KeptSecret }
}

/**
 * Who may call. An answer may be a few seconds old, but never older than a change that the directory was told of: a
 * revoked token is refused at once on every replica.
 */
export class Directory extends Context.Service<
  Directory,
  {
    readonly lookup: (apiKey: string) => Effect.Effect<Option.Option<Credentials>>
    /** Notes a use, at most one a minute for each token. Nobody waits for it, and nothing fails with it. */
    readonly used: (use: TokenUse) => Effect.Effect<void>
  }
>()("saldo/core/Directory") {}
