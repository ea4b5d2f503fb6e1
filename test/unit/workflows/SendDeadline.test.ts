import { assert, describe, it } from "@effect/vitest"
import { Clock, DateTime, Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { isBeforeSendDeadline } from "../../../core/workflows/ExternalCalls.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import { fund, money, sales } from "../../support/InMemoryWorld.ts"
import { operations } from "../support/Operations.ts"

/**
 * When the operation is sent, the time since its record, the milliseconds by which the record's time is ahead of the
 * clock, and whether the operation may be sent.
 */
const table = [
  ["immediately", "0 millis", 0, true],
  ["after ten seconds", "10 seconds", 0, true],
  ["a millisecond after ten seconds", "10001 millis", 0, false],
  ["a millisecond after ten seconds, by a clock that was set back after the record", "10001 millis", 60_000, false],
  ["immediately, by a clock that was set back after the record", "0 millis", 60_000, true],
  ["immediately, by a clock that jumped ahead after the record", "0 millis", -10_001, false]
] as const

describe("a recorded operation", () => {
  it.effect.each(table)("is sent only within ten seconds: %s", ([, passed, ahead_ms, fresh]) =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 day")
      const since_ns = yield* Clock.monotonicTimeNanos
      const recordedAt = DateTime.add(yield* DateTime.now, { milliseconds: ahead_ms })
      yield* TestClock.adjust(passed)
      assert.strictEqual(yield* isBeforeSendDeadline(since_ns, recordedAt), fresh)
    })
  )
})

describe.each(operations)("$operation in a process that is paused after recording it", (operation) => {
  // Pause in milliseconds -> how the operation ends, and how often it is sent.
  const pauses = [
    [10_000, "done", 1],
    [10_001, "unknown", 0],
    [120_000, "unknown", 0]
  ] as const

  it.effect.each(pauses)("is sent only within ten seconds: after %d ms", ([millis, end, times]) => {
    const { layer, prepare, sent } = operation.world({ recorded: Effect.sleep(millis) })
    return Effect.gen(function* () {
      yield* fund()
      const { call } = yield* prepare()
      const running = yield* Effect.forkChild(call)
      yield* TestClock.adjust(millis)
      const first = yield* Fiber.join(running)
      assert.strictEqual(first.outcome._tag, operation[end].response)
      assert.deepStrictEqual(yield* sales, [["RD-k1", operation[end].status]])
      assert.deepStrictEqual(yield* money, operation[end].money)
      assert.deepStrictEqual(yield* call, { ...first, replayed: true })
      assert.lengthOf(sent, times)
    }).pipe(Effect.provide(layer))
  })

  it.effect.each(pauses)(
    "is sent only within ten seconds, although the clock was set back meanwhile: after %d ms",
    ([millis, end, times]) => {
      const resumed = Deferred.makeUnsafe<void>()
      const { layer, prepare, sent } = operation.world({ recorded: Deferred.await(resumed) })
      return Effect.gen(function* () {
        yield* fund()
        const { call } = yield* prepare()
        const running = yield* Effect.forkChild(call)
        yield* TestClock.adjust(millis)
        yield* TestClock.setTime(0)
        yield* Deferred.succeed(resumed, undefined)
        assert.strictEqual((yield* Fiber.join(running)).outcome._tag, operation[end].response)
        assert.deepStrictEqual(yield* sales, [["RD-k1", operation[end].status]])
        assert.lengthOf(sent, times)
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("answers with recovery's result if recovery has settled it during the pause", () => {
    const { layer, prepare, sent } = operation.world({
      asked: Effect.succeed("refused"),
      recorded: Effect.sleep("2 minutes")
    })
    return Effect.gen(function* () {
      yield* fund()
      const { call } = yield* prepare()
      const running = yield* Effect.forkChild(call)
      yield* TestClock.adjust("1 minute")
      yield* recover("due")
      yield* TestClock.adjust("1 minute")
      const first = yield* Fiber.join(running)
      assert.strictEqual(first.outcome._tag, operation.refused.response)
      assert.deepStrictEqual(yield* call, { ...first, replayed: true })
      assert.deepStrictEqual(yield* money, operation.refused.money)
      assert.deepStrictEqual(sent, [])
    }).pipe(Effect.provide(layer))
  })
})
