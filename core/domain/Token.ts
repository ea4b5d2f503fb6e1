import { DateTime, Schema } from "effect"
import { timingSafeEqual as sameDigest } from "effect/crypto/Mac"
import { CompanyId, TokenId } from "./Ids.ts"

/** A token's secret as stored: its SHA-256, keyed with the operator's pepper if one was set. Contract: 5. */
export interface StoredSecret {
  readonly hash: Uint8Array
  /** Name of the pepper that the hash was made with. Null for none. */
  readonly pepper: string | null
  /** When the previous secret expires. Null for the current secret. */
  readonly until: DateTime.Utc | null
}

/** Hashes of a presented secret, without and with the current pepper. */
export interface PresentedSecret {
  readonly plain: Uint8Array
  readonly peppered: Uint8Array
}

/** A token has its current secret and, for a time after a rotation, the previous one. */
const secrets_max = 2

// Missing secrets are compared with this value, so that an unknown key takes as long as a wrong secret.
const dummySecret: StoredSecret = { hash: new Uint8Array(32), pepper: null, until: null }

/**
 * The stored secret that equals the presented one and has not expired. The work is the same for an unknown token, for
 * one or two secrets, and for right or wrong ones.
 */
export const matchingSecret = (
  kept: ReadonlyArray<StoredSecret>,
  presented: PresentedSecret,
  now: DateTime.Utc
): StoredSecret | null => {
  let match: StoredSecret | null = null
  for (let place = 0; place < secrets_max; place++) {
    const secret = kept[place] ?? dummySecret
    const right = sameDigest(secret.pepper === null ? presented.plain : presented.peppered, secret.hash)
    const good = secret !== dummySecret && (secret.until === null || DateTime.isLessThan(now, secret.until))
    if (right && good) match = secret
  }
  return match
}

/** What a token may do. An empty list gives every permission. */
export const Permission = Schema.Literals([
  "account.read",
  "balance.read",
  "services.read",
  "consultas.create",
  "recharges.create",
  "transactions.read",
  "transactions.reverse",
  "events.read",
  "webhooks.manage"
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
