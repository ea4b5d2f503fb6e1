import { Context, type DateTime, type Effect } from "effect"
import type { CompanyId, TokenId } from "../domain/Ids.ts"
import type { TokenRevoked, UnknownToken } from "../domain/OperatorErrors.ts"
import type { KeptSecret } from "../domain/Secret.ts"
import type { Token, TokenState } from "../domain/Token.ts"

export type NewToken = Omit<Token, "id" | "state">

/** Credentials that the configuration gives, not chance. */
export interface ConfiguredToken {
  readonly companyId: CompanyId
  readonly name: string
  readonly apiKey: string
  readonly secret: KeptSecret
}

/** A token's secrets after a rotation; null when the one before it is good for nothing any more. */
export interface Rotated {
  readonly secret: KeptSecret
  readonly previous: KeptSecret | null
}

/** A token as its operator sees it. */
export interface RegisteredToken {
  readonly token: Token
  /** True to the minute; null when it never was. */
  readonly usedAt: DateTime.Utc | null
  /** Until when the secret before its own was made to last; null when there was none. */
  readonly previousUntil: DateTime.Utc | null
}

/** The operator's register of credentials. A change holds from the next call on, on every replica. Contract: 5. */
export class Tokens extends Context.Service<
  Tokens,
  {
    readonly add: (token: NewToken, secret: KeptSecret, at: DateTime.Utc) => Effect.Effect<TokenId>
    /** Revocation is final. */
    readonly setState: (tokenId: TokenId, state: TokenState) => Effect.Effect<Token, UnknownToken | TokenRevoked>
    /** Gives a token the secrets that follow from the one that it has. Whatever else it had is good no more. */
    readonly rotate: (
      tokenId: TokenId,
      turn: (secret: KeptSecret) => Effect.Effect<Rotated>
    ) => Effect.Effect<Token, UnknownToken | TokenRevoked>
    /**
     * Makes this the only active token of its company and name: added, or its secret replaced, and those that an
     * earlier configuration gave suspended. A revoked one stays revoked.
     */
    readonly configure: (token: ConfiguredToken, at: DateTime.Utc) => Effect.Effect<void>
    /** Suspends the active tokens of a company and name. */
    readonly suspendNamed: (companyId: CompanyId, name: string) => Effect.Effect<void>
    /** A company's tokens in order of id. */
    readonly list: (companyId: CompanyId) => Effect.Effect<ReadonlyArray<RegisteredToken>>
  }
>()("saldo/core/Tokens") {}
