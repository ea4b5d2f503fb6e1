import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { keepClosing } from "../../../core/workflows/CloseDays.ts"

const at = (time: string): number => Date.parse(time)

describe("a server that closes days", () => {
  // Midnight in Santo Domingo is 04:00 UTC. A day is due ten minutes later, and a server waits up to five minutes more.
  it.effect.each([
    ["at noon", "2026-03-04T16:00Z", "0 minutes", "2026-03-05T04:10Z", "2026-03-05T04:15Z"],
    [
      "before midnight and ends when the day is due",
      "2026-03-05T03:59Z",
      "12 minutes",
      "2026-03-05T04:11Z",
      "2026-03-05T04:16Z"
    ],
    [
      "after midnight, before the day is due",
      "2026-03-05T04:05Z",
      "0 minutes",
      "2026-03-05T04:10Z",
      "2026-03-05T04:15Z"
    ],
    ["when the day is due", "2026-03-05T04:10Z", "0 minutes", "2026-03-06T04:10Z", "2026-03-06T04:15Z"]
  ] as const)(
    "begins its next round when the next day is due, if a complete round begins %s",
    ([, begin, length, earliest, latest]) =>
      Effect.gen(function* () {
        const rounds: Array<number> = []
        const round = Effect.gen(function* () {
          rounds.push(DateTime.toEpochMillis(yield* DateTime.now))
          yield* Effect.sleep(length)
          return true
        })
        yield* TestClock.setTime(at(begin))
        yield* Effect.forkScoped(keepClosing(round))
        while (rounds.length < 2) yield* TestClock.adjust("1 minute")
        assert.strictEqual(rounds[0], at(begin))
        assert.isAtLeast(rounds[1] ?? 0, at(earliest))
        assert.isAtMost(rounds[1] ?? 0, at(latest))
      })
  )

  it.effect("begins its next round ten minutes after a round that failed or left days open", () =>
    Effect.gen(function* () {
      const rounds: Array<number> = []
      const round = Effect.gen(function* () {
        rounds.push(DateTime.toEpochMillis(yield* DateTime.now))
        return rounds.length === 1 ? false : yield* Effect.die(new Error("the database does not answer"))
      })
      const begin = at("2026-03-04T16:00Z")
      yield* TestClock.setTime(begin)
      yield* Effect.forkScoped(keepClosing(round))
      for (let minute = 0; minute < 25; minute++) yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(
        rounds,
        [0, 10, 20].map((minutes) => begin + minutes * 60_000)
      )
    })
  )
})
