import { describe, expect, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import { type KeyRecord, type KeyState, readKey } from "../../core/domain/Idempotency.ts"
import type { Status } from "../../core/domain/Status.ts"

const now = DateTime.makeUnsafe("2026-03-04T12:00:00.000Z")
const ago = (age: Duration.Input | null) => (age === null ? null : DateTime.subtractDuration(now, age))

interface Row {
  readonly claimed: Duration.Input
  readonly settled: Duration.Input | null
  readonly completed: boolean
  readonly status: Status
}

const read = (row: Row, call: { readonly owner: "same" | "other"; readonly body: "same" | "other" }): KeyState => {
  const record: KeyRecord = {
    owner: "first",
    fingerprint: "f1",
    completed: row.completed,
    claimedAt: DateTime.subtractDuration(now, row.claimed),
    status: row.status,
    processedAt: ago(row.settled)
  }
  return readKey(record, {
    owner: call.owner === "same" ? "first" : "second",
    fingerprint: call.body === "same" ? "f1" : "f2",
    now
  })
}

const day_ms = Duration.toMillis("24 hours")
const quarter_ms = Duration.toMillis("15 minutes")

/** claimed ago, settled ago, completed, status -> with the same body, with another body */
const table: ReadonlyArray<readonly [Duration.Input, Duration.Input | null, boolean, Status, KeyState, KeyState]> = [
  // In progress.
  [0, null, false, "PROCESSING", "in_progress", "reused"],
  ["2 seconds", null, false, "PROCESSING", "in_progress", "reused"],
  [quarter_ms - 1, null, false, "PROCESSING", "in_progress", "reused"],
  [quarter_ms, null, false, "PROCESSING", "in_progress", "reused"],
  [quarter_ms + 1, null, false, "PROCESSING", "conflict", "reused"],
  // An operation that is unresolved never expires.
  ["25 hours", null, false, "PROCESSING", "conflict", "reused"],
  ["400 days", null, false, "PROCESSING", "conflict", "reused"],
  // Answered 202: replayed for as long as it is unresolved, and a day longer.
  ["1 minute", null, true, "PENDING", "replay", "reused"],
  ["20 minutes", null, true, "PENDING", "replay", "reused"],
  ["400 days", null, true, "PENDING", "replay", "reused"],
  ["400 days", "1 hour", true, "SUCCESS", "replay", "reused"],
  ["400 days", "25 hours", true, "SUCCESS", "expired", "expired"],
  // Settled.
  ["1 second", 0, true, "SUCCESS", "replay", "reused"],
  ["1 hour", "1 hour", true, "SUCCESS", "replay", "reused"],
  ["1 hour", "1 hour", true, "FAILED", "replay", "reused"],
  ["1 hour", "1 hour", true, "REVERSED", "replay", "reused"],
  [day_ms + 9, day_ms - 1, true, "SUCCESS", "replay", "reused"],
  [day_ms + 9, day_ms, true, "SUCCESS", "replay", "reused"],
  [day_ms + 9, day_ms + 1, true, "SUCCESS", "expired", "expired"],
  [day_ms + 9, day_ms + 1, true, "FAILED", "expired", "expired"],
  [day_ms + 9, day_ms + 1, true, "REVERSED", "expired", "expired"]
]

describe("a known key", () => {
  it.each(table)("claimed %s ago, settled %s ago, completed %s, %s: %s, or with another body %s", (...row) => {
    const [claimed, settled, completed, status, sameBody, otherBody] = row
    const record = { claimed, settled, completed, status }
    expect(read(record, { owner: "other", body: "same" })).toBe(sameBody)
    expect(read(record, { owner: "other", body: "other" })).toBe(otherBody)
  })

  it.each(table)(
    "claimed %s ago, settled %s ago, completed %s, %s: known again by the call that claimed it",
    (...row) => {
      const [claimed, settled, completed, status] = row
      expect(read({ claimed, settled, completed, status }, { owner: "same", body: "same" })).toBe("own")
    }
  )
})
