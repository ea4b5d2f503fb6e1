import { DateTime, Schema } from "effect"
import { timingSafeEqual as sameDigest } from "effect/crypto/Mac"
import { CompanyId, TokenId } from "./Ids.ts"

/** A token's secret as stored: its SHA-256, keyed with the operator's pepper if one was set. Contract: 5. */
export interface StoredSecret {
  readonly hash: Uint8Array
  /** Name of the pepper that keyed the hash. Null if no pepper was used. */
  readonly pepper: string | null
  /** When the previous secret expires. Null for the current secret. */
  readonly until: DateTime.Utc | null
}

/** Hashes of a presented secret, without and with the current pepper. */
export interface PresentedSecret {
  readonly plain: Uint8Array
  readonly peppered: Uint8Array
}

/** Maximum number of secrets of a token: the current secret and, for some time after a rotation, the previous secret. */
const secrets_max = 2

// Takes the place of a missing secret in the comparison, so that an unknown api_key takes as long as a wrong secret.
const dummySecret: StoredSecret = { hash: new Uint8Array(32), pepper: null, until: null }

/**
 * The stored secret that equals the presented secret and has not expired, or null. The function always does the same
 * work, so its duration reveals nothing about the token or its secrets.
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

/** A permission of a token. A token with an empty list has every permission. */
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

/** State of a token. A revoked token cannot be activated again. */
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
