import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { instantNow } from "../../core/domain/Instant.ts"

describe("the instant of a clock", () => {
  it.effect("follows the clock, also where it stands still or is put back", () =>
    Effect.gen(function* () {
      for (const shown_ms of [0, 5, 5, 6, 3, 0, 1_790_000_000_000, 3]) {
        yield* TestClock.setTime(shown_ms)
        expect(DateTime.toEpochMillis(yield* instantNow)).toBe(shown_ms)
      }
    })
  )

  it.effect("is the same object within a millisecond", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(7)
      expect(yield* instantNow).toBe(yield* instantNow)
    })
  )
})
