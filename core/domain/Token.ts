import { Schema } from "effect"
import { CompanyId, TokenId } from "./Ids.ts"

/** What a token may do. An empty list in a token restricts nothing. */
export const Permission = Schema.Literals([
  "account.read",
  "balance.read",
  "services.read",
  "consultas.create",
  "recharges.create",
  "transactions.read",
  "transactions.reverse"
])
export type Permission = typeof Permission.Type

/** A revoked token stays revoked. */
export const TokenState = Schema.Literals(["active", "suspended", "revoked"])
export type TokenState = typeof TokenState.Type

/** Credentials of one company, without their secret. Contract: 5. */
export const Token = Schema.Struct({
  id: TokenId,
  companyId: CompanyId,
  name: Schema.String,
  apiKey: Schema.String,
  permissions: Schema.Array(Permission),
  /** Addresses and CIDR ranges; empty means any. */
  addresses: Schema.Array(Schema.String),
  expiresAt: Schema.NullOr(Schema.DateTimeUtc),
  state: TokenState,
  /** Its own rate limit, or null for the configured one. */
  callsPerMinute: Schema.NullOr(Schema.Int),
  /** May consultas reach the provider? Contract: 4.4. */
  realLookups: Schema.Boolean
})
export type Token = typeof Token.Type
