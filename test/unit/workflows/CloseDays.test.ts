import { assert, describe, it } from "@effect/vitest"
import { Array as Arr, Cause, Clock, DateTime, Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { Closings } from "../../../core/ports/Closings.ts"
import { closeDue, closeThrough, keepClosing } from "../../../core/workflows/CloseDays.ts"

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

describe("a round that closes the days of companies", () => {
  const day = "2026-03-04"

  /** Closes the day of ten companies. Each of the first `broken` companies dies. Returns how many were tried, and the exit. */
  const closing = Effect.fnUntraced(function* (broken: number) {
    const tried: Array<number> = []
    const days = Arr.makeBy(10, (index) => ({ companyId: CompanyId.make(index + 1), day }))
    const closings = Layer.mock(Closings, {
      unclosed: Effect.succeed({ days, isComplete: true }),
      end: ({ companyId }) =>
        Effect.suspend(() => {
          tried.push(companyId)
          return companyId <= broken
            ? Effect.die(new Error(`the rows of ${companyId} are damaged`))
            : Effect.succeed(true)
        }),
      before: () => Effect.succeedNone,
      figures: () => Effect.succeed(null)
    })
    const exit = yield* Effect.exit(Effect.provide(closeThrough(day), closings))
    return { tried: tried.length, exit }
  })

  it.effect.each([
    [1, 10],
    [4, 10],
    [10, 5]
  ] as const)("that dies for %d companies tries %d of ten, and fails with the first defect", ([broken, tried]) =>
    Effect.gen(function* () {
      const result = yield* closing(broken)
      assert.strictEqual(result.tried, tried)
      const cause = Exit.isFailure(result.exit) ? Cause.pretty(result.exit.cause) : ""
      assert.include(cause, "the rows of 1 are damaged")
    })
  )

  it.effect.each([
    ["20 millis", 60],
    ["1 hour", 3_601_000]
  ] as const)("that takes %s for a company closes the next company %d ms after it began", ([lasts, next_ms]) =>
    Effect.gen(function* () {
      const begun: Array<number> = []
      const days = Arr.makeBy(2, (index) => ({ companyId: CompanyId.make(index + 1), day: "1969-12-01" }))
      const closings = Layer.mock(Closings, {
        hasPassed: () => Effect.succeed(true),
        unclosed: Effect.succeed({ days, isComplete: true }),
        end: () =>
          Effect.gen(function* () {
            begun.push(yield* Clock.currentTimeMillis)
            yield* Effect.sleep(lasts)
            return false
          })
      })
      yield* Effect.forkScoped(Effect.provide(closeDue(), closings))
      yield* TestClock.adjust("3 hours")
      assert.deepStrictEqual(begun, [0, next_ms])
    })
  )
})
