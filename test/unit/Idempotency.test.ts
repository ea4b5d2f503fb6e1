import { describe, expect, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import { type KeyRecord, type KeyState, readKey } from "../../core/domain/Idempotency.ts"

const now = DateTime.makeUnsafe("2026-03-04T12:00:00.000Z")
const ago = (age: Duration.Input | null) => (age === null ? null : DateTime.subtractDuration(now, age))

interface Row {
  readonly claimed: Duration.Input
  readonly settled: Duration.Input | null
  readonly completed: boolean
}

const read = (row: Row, body: "same" | "other"): KeyState => {
  const record: KeyRecord = {
    fingerprint: "f1",
    completed: row.completed,
    claimedAt: DateTime.subtractDuration(now, row.claimed),
    settledAt: ago(row.settled)
  }
  return readKey(record, { fingerprint: body === "same" ? "f1" : "f2", now })
}

const day_ms = Duration.toMillis("24 hours")
const quarter_ms = Duration.toMillis("15 minutes")

/** claimed ago, settled ago, completed -> with the same body, with another body */
const table: ReadonlyArray<readonly [Duration.Input, Duration.Input | null, boolean, KeyState, KeyState]> = [
  // In progress.
  [0, null, false, "in_progress", "reused"],
  ["2 seconds", null, false, "in_progress", "reused"],
  [quarter_ms - 1, null, false, "in_progress", "reused"],
  [quarter_ms, null, false, "in_progress", "reused"],
  [quarter_ms + 1, null, false, "conflict", "reused"],
  // An operation that is unresolved never expires.
  ["25 hours", null, false, "conflict", "reused"],
  ["400 days", null, false, "conflict", "reused"],
  // Answered 202: replayed for as long as it is unresolved, and a day longer.
  ["1 minute", null, true, "replay", "reused"],
  ["20 minutes", null, true, "replay", "reused"],
  ["400 days", null, true, "replay", "reused"],
  ["400 days", "1 hour", true, "replay", "reused"],
  ["400 days", "25 hours", true, "conflict", "conflict"],
  // Settled.
  ["1 second", 0, true, "replay", "reused"],
  ["1 hour", "1 hour", true, "replay", "reused"],
  [day_ms + 9, day_ms - 1, true, "replay", "reused"],
  [day_ms + 9, day_ms, true, "replay", "reused"],
  [day_ms + 9, day_ms + 1, true, "conflict", "conflict"]
]

describe("a known key", () => {
  it.each(table)("claimed %s ago, settled %s ago, completed %s: %s, or with another body %s", (...row) => {
    const [claimed, settled, completed, sameBody, otherBody] = row
    const record = { claimed, settled, completed }
    expect(read(record, "same")).toBe(sameBody)
    expect(read(record, "other")).toBe(otherBody)
  })
})
