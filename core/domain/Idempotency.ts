import { Context, DateTime, Duration, Effect } from "effect"
import { IdempotencyConflict, KeyReused, RequestInProgress } from "./Errors.ts"
import type { CompanyId, IdempotencyKey, TransactionId } from "./Ids.ts"
import { sha256Hex } from "./Sha256.ts"
import type { Status } from "./Status.ts"

export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** JSON with sorted object keys. Two bodies with the same content give the same text. */
export const canonical = (value: Json): string => {
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  const object = value as { readonly [key: string]: Json }
  const members = Object.keys(object)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(object[key] as Json)}`)
  return `{${members.join(",")}}`
}

/**
 * SHA-256 of the method, the path template and the parsed body. Identifies the request that an Idempotency-Key belongs
 * to. Amounts are parsed first, so 50, 50.00 and "50" are equal. Contract: 2.8.
 */
export const fingerprintOf = (endpoint: string, body: Json) => sha256Hex(`${endpoint}\n${canonical(body)}`)

/** How long after the settlement a retry with the key gets the stored response. Contract: 2.8. */
export const retention = Duration.hours(24)

/** Age from which an unfinished operation answers a retry with a conflict instead of "in progress". */
export const inProgress_max = Duration.minutes(15)

/** The stored record of an idempotency key. Contract: 2.8. */
export interface KeyRecord {
  readonly fingerprint: string
  readonly completed: boolean
  readonly claimedAt: DateTime.Utc
  /** When the operation settled and its response was stored. Null while it is unresolved. */
  readonly settledAt: DateTime.Utc | null
}

/** The kinds of answer to a call with a repeated key. Contract: 3.2. */
export type KeyState = "reused" | "replay" | "in_progress" | "conflict"

/**
 * Classifies a repeated key. After the retention, a call with the key gets a conflict and never starts a new sale,
 * because the xid is derived from the key and must stay unique for ever. The SQL function `key_state` repeats the rule,
 * and test/postgres/model compares the two.
 */
export const readKey = (
  record: KeyRecord,
  call: { readonly fingerprint: string; readonly now: DateTime.Utc }
): KeyState => {
  if (record.settledAt !== null && isOlderThan(record.settledAt, retention, call.now)) return "conflict"
  if (record.fingerprint !== call.fingerprint) return "reused"
  if (record.completed) return "replay"
  return isOlderThan(record.claimedAt, inProgress_max, call.now) ? "conflict" : "in_progress"
}

/** The error for a repeated key if its response is not replayed. Contract: 3.2. */
export const keyErrorOf = (state: Exclude<KeyState, "replay">, transactionId: TransactionId, status: Status) => {
  switch (state) {
    case "reused":
      return new KeyReused()
    case "in_progress":
      return new RequestInProgress({ transactionId })
    case "conflict":
      return new IdempotencyConflict({ transactionId, status })
  }
}

const isOlderThan = (instant: DateTime.Utc, age: Duration.Duration, now: DateTime.Utc): boolean =>
  DateTime.isLessThan(instant, DateTime.subtractDuration(now, age))

/** Maximum length of an xid's prefix. Providers accept at most 40 characters; the hyphen and the hex digits take 25. */
export const xidPrefixLength_max = 15

/** Allowed prefixes, as the source of a regular expression. */
export const xidPrefixPattern = `[A-Za-z0-9]{1,${xidPrefixLength_max}}`

/** Prefix of every xid, before the hyphen. */
export const XidPrefix = Context.Reference<string>("saldo/core/XidPrefix", { defaultValue: () => "RD" })

const derivedXid = (text: string) =>
  Effect.flatMap(XidPrefix, (prefix) => Effect.map(sha256Hex(text), (hex) => `${prefix}-${hex.slice(0, 24)}`))

/**
 * Id of a sale at the provider: `<prefix>-<24 hex>`. The id is derived from company and key, so a retry can never
 * become a second sale. Contract: 2.5.
 */
export const xidOf = (companyId: CompanyId, key: IdempotencyKey) => derivedXid(`${companyId}:${key}`)

/**
 * Id of a reversal at the provider. A key that was freed by a sale may later be used for a reversal, and the provider
 * must not confuse the two. The added line break makes the two ids different, because no key contains a line break.
 */
export const reversalXidOf = (companyId: CompanyId, key: IdempotencyKey) => derivedXid(`${companyId}:${key}\nanular`)
