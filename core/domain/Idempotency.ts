import { DateTime, Duration } from "effect"
import type { Status } from "./Status.ts"

/** A settled operation's key replays this long. Contract: 2.8. */
export const retention = Duration.hours(24)

/** An operation that has been in progress longer than this can no longer be waited for. */
export const inProgress_max = Duration.minutes(15)

/** What is known of a key. Contract: 2.8. */
export interface KeyRecord {
  /** Which call claimed it. */
  readonly owner: string
  readonly fingerprint: string
  readonly completed: boolean
  readonly claimedAt: DateTime.Utc
  readonly status: Status
  /** When the operation settled; null while it is unresolved. */
  readonly processedAt: DateTime.Utc | null
}

/** What a call finds when its key is already known. Contract: 3.2. */
export type KeyState = "own" | "expired" | "reused" | "replay" | "in_progress" | "conflict"

/**
 * Reads a known key for the call that brings it again. `own` is this very call, whose first attempt committed though
 * the connection died; the order of the rest is that of the contract: expired, other body, replay, in progress.
 */
export const readKey = (
  record: KeyRecord,
  call: { readonly owner: string; readonly fingerprint: string; readonly now: DateTime.Utc }
): KeyState => {
  if (record.owner === call.owner) return "own"
  const settledLongAgo =
    record.processedAt !== null && olderThan(record.processedAt, retention, call.now) && record.completed
  if (settledLongAgo) return "expired"
  if (record.fingerprint !== call.fingerprint) return "reused"
  if (record.completed) return "replay"
  return olderThan(record.claimedAt, inProgress_max, call.now) ? "conflict" : "in_progress"
}

const olderThan = (instant: DateTime.Utc, age: Duration.Duration, now: DateTime.Utc): boolean =>
  DateTime.isLessThan(instant, DateTime.subtractDuration(now, age))
