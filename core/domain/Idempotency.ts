import { DateTime, Duration } from "effect"
import { IdempotencyConflict, KeyReused, RequestInProgress } from "./Errors.ts"
import type { TransactionId } from "./Ids.ts"
import type { Status } from "./Status.ts"

/** A settled operation's key replays this long. Contract: 2.8. */
export const retention = Duration.hours(24)

/** An operation that has been in progress longer than this can no longer be waited for. */
export const inProgress_max = Duration.minutes(15)

/** What is known of a key. Contract: 2.8. */
export interface KeyRecord {
  readonly fingerprint: string
  readonly completed: boolean
  readonly claimedAt: DateTime.Utc
  /** When the operation settled, which completed its key; null while it is unresolved. */
  readonly settledAt: DateTime.Utc | null
}

/** What a call finds when its key is already known. Contract: 3.2. */
export type KeyState = "reused" | "replay" | "in_progress" | "conflict"

/**
 * Reads a known key for another call that brings it. One that no longer replays names no second operation either: the
 * xid that follows from it is the first one's for ever.
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

/** Why a key that does not replay is refused, and of which transaction. Contract: 3.2. */
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
