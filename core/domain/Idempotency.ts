import { DateTime, Duration } from "effect"
import { IdempotencyConflict, KeyReused, RequestInProgress } from "./Errors.ts"
import type { TransactionId } from "./Ids.ts"
import type { Status } from "./Status.ts"

/** How long the key of a settled operation is replayed. Contract: 2.8. */
export const retention = Duration.hours(24)

/** After this time an operation in progress is answered with a conflict instead of "in progress". */
export const inProgress_max = Duration.minutes(15)

/** The stored record of an idempotency key. Contract: 2.8. */
export interface KeyRecord {
  readonly fingerprint: string
  readonly completed: boolean
  readonly claimedAt: DateTime.Utc
  /** When the operation settled and its response was stored. Null while it is unresolved. */
  readonly settledAt: DateTime.Utc | null
}

/** What a repeated key means for the call that brings it. Contract: 3.2. */
export type KeyState = "reused" | "replay" | "in_progress" | "conflict"

/**
 * Classifies a repeated key. A key whose retention has passed is a conflict, never a new sale: the xid is derived from
 * the key and stays unique for ever.
 */
export const readKey = (
  record: KeyRecord,
  call: { readonly fingerprint: string; readonly now: DateTime.Utc }
): KeyState => {
  if (record.settledAt !== null && olderThan(record.settledAt, retention, call.now)) return "conflict"
  if (record.fingerprint !== call.fingerprint) return "reused"
  if (record.completed) return "replay"
  return olderThan(record.claimedAt, inProgress_max, call.now) ? "conflict" : "in_progress"
}

/** The error for a repeated key that is not replayed, with the transaction that the key belongs to. Contract: 3.2. */
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

const olderThan = (instant: DateTime.Utc, age: Duration.Duration, now: DateTime.Utc): boolean =>
  DateTime.isLessThan(instant, DateTime.subtractDuration(now, age))
