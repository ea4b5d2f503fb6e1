import { Schema } from "effect"
import { CompanyId, TokenId } from "./Ids.ts"

/** What a token may do. An empty list gives every permission. */
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

/** A revoked token cannot be activated again. */
export const TokenState = Schema.Literals(["active", "suspended", "revoked"])
export type TokenState = typeof TokenState.Type

/** Credentials of a company, without the secret. Contract: 5. */
export const Token = Schema.Struct({
  id: TokenId,
  companyId: CompanyId,
  name: Schema.String,
  apiKey: Schema.String,
  permissions: Schema.Array(Permission),
  /** Allowed addresses and CIDR ranges. Empty allows any address. */
  addresses: Schema.Array(Schema.String),
  expiresAt: Schema.NullOr(Schema.DateTimeUtc),
  state: TokenState,
  /** Rate limit of this token. Null means the configured limit. */
  callsPerMinute: Schema.NullOr(Schema.Int),
  /** Whether lookups of this token may reach the provider. Contract: 4.4. */
  realLookups: Schema.Boolean
})
export type Token = typeof Token.Type
