import { assert, describe, it } from "@effect/vitest"
import { Clock, DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { isFresh } from "../../core/workflows/Fresh.ts"

/** What happens to time after something was recorded, how far the clock in its row was ahead, and whether it may be sent. */
const table = [
  ["at once", "0 millis", 0, true],
  ["after ten seconds", "10 seconds", 0, true],
  ["a moment later than that", "10001 millis", 0, false],
  ["later, though its clock was ahead", "10001 millis", 60_000, false],
  ["at once, by a clock that has been put back since", "0 millis", 60_000, true],
  ["at once, by a clock that has jumped ahead since", "0 millis", -10_001, false]
] as const

describe("what was recorded may be sent", () => {
  it.effect.each(table)("%s", ([, passed, ahead_ms, fresh]) =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 day")
      const since_ns = yield* Clock.monotonicTimeNanos
      const recordedAt = DateTime.add(yield* DateTime.now, { milliseconds: ahead_ms })
      yield* TestClock.adjust(passed)
      assert.strictEqual(yield* isFresh(since_ns, recordedAt), fresh)
    })
  )
})
