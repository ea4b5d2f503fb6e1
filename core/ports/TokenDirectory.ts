import { Context, type DateTime, type Effect, type Option } from "effect"
import type { TokenId } from "../domain/Ids.ts"
import type { Session } from "../domain/Session.ts"
import type { StoredSecret } from "../domain/Token.ts"

/** A token with its company and secrets: the current secret first, then the previous one if it has not expired. */
export interface Credentials {
  readonly session: Session
  readonly secrets: ReadonlyArray<StoredSecret>
}

/** A use of a token by an accepted call. */
export interface TokenUse {
  readonly tokenId: TokenId
  readonly at: DateTime.Utc
  /** The matching secret as it is stored (`known`), and as it should be stored from now on (`better`). */
  readonly secret: { readonly known: StoredSecret; readonly better: StoredSecret }
}

/**
 * Finds tokens by api_key. Results may be cached for a few seconds. A change of a token clears the caches of all
 * processes, so a revoked token is refused immediately.
 */
export class TokenDirectory extends Context.Service<
  TokenDirectory,
  {
    readonly lookup: (apiKey: string) => Effect.Effect<Option.Option<Credentials>>
    /** Records a use, at most once a minute per token. Runs in the background; a failure has no effect on the call. */
    readonly used: (use: TokenUse) => Effect.Effect<void>
  }
>()("saldo/core/TokenDirectory") {}
