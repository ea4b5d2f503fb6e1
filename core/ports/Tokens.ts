import { Context, type DateTime, type Effect } from "effect"
import type { CompanyId, TokenId } from "../domain/Ids.ts"
import type { TokenRevoked, UnknownToken } from "../domain/OperatorErrors.ts"
import type { StoredSecret, Token, TokenState } from "../domain/Token.ts"

export type NewToken = Omit<Token, "id" | "state">

/** Credentials from the configuration, not drawn at random. */
export interface ConfiguredToken {
  readonly companyId: CompanyId
  readonly name: string
  readonly apiKey: string
  readonly secret: StoredSecret
}

/** A token's secrets after a rotation. `previous` is null when the old secret ended immediately. */
export interface Rotated {
  readonly secret: StoredSecret
  readonly previous: StoredSecret | null
}

/** A token as the operator sees it. */
export interface RegisteredToken {
  readonly token: Token
  /** Last use, to the minute. Null when never used. */
  readonly usedAt: DateTime.Utc | null
  /** When the previous secret expires. Null when there was none. */
  readonly previousUntil: DateTime.Utc | null
}

/** The operator's register of tokens. A change applies from the next call on, in every process. Contract: 5. */
export class Tokens extends Context.Service<
  Tokens,
  {
    readonly add: (token: NewToken, secret: StoredSecret, at: DateTime.Utc) => Effect.Effect<TokenId>
    /** Changes the state of a token, and returns the token as it was before. Revocation is final. */
    readonly setState: (tokenId: TokenId, state: TokenState) => Effect.Effect<Token, UnknownToken | TokenRevoked>
    /** Replaces the secrets of a token. A secret that `turn` does not return becomes invalid immediately. */
    readonly rotate: (
      tokenId: TokenId,
      turn: (secret: StoredSecret) => Effect.Effect<Rotated>
    ) => Effect.Effect<Token, UnknownToken | TokenRevoked>
    /**
     * Makes the given token the only active token of its company and name. Adds the token or replaces its secret, and
     * suspends tokens of an earlier configuration. A revoked token stays revoked.
     */
    readonly configure: (token: ConfiguredToken, at: DateTime.Utc) => Effect.Effect<void>
    /** Suspends the company's active tokens with this name. */
    readonly suspendNamed: (companyId: CompanyId, name: string) => Effect.Effect<void>
    /** A company's tokens, ordered by id. */
    readonly list: (companyId: CompanyId) => Effect.Effect<ReadonlyArray<RegisteredToken>>
  }
>()("saldo/core/Tokens") {}
