import { assert, describe, it } from "@effect/vitest"
import { Clock, DateTime, Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { StatusAnswer } from "../../../core/domain/Recovery.ts"
import { isBeforeSendDeadline } from "../../../core/workflows/ExternalCalls.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import { sell } from "../../../core/workflows/Sell.ts"
import { intent } from "../../support/Examples.ts"
import { type Fault, fund, money, sales, world } from "../../support/InMemoryWorld.ts"

/**
 * How time passes after the operation is recorded, how far the clock of the record was ahead, and whether the operation
 * may be sent.
 */
const table = [
  ["immediately", "0 millis", 0, true],
  ["after ten seconds", "10 seconds", 0, true],
  ["a millisecond later than ten seconds", "10001 millis", 0, false],
  ["a millisecond later, although the clock of the record was ahead", "10001 millis", 60_000, false],
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

/** Pauses the process for this long after the first reservation commits. */
const paused =
  (millis: number): Fault =>
  (ledger) => {
    let rest_ms = millis
    const pause = Effect.suspend(() => {
      const sleeping = Effect.sleep(rest_ms)
      rest_ms = 0
      return sleeping
    })
    return { ...ledger, reserve: (wanted) => Effect.tap(ledger.reserve(wanted), () => pause) }
  }

describe("a process paused after a reservation", () => {
  it.effect.each([
    [10_000, "Delivered", "SUCCESS", ["RD-k1"]],
    [10_001, "Pending", "PENDING", []]
  ] as const)("sends the order only within ten seconds: after %d ms", ([millis, heard, status, sent]) => {
    const { dispatched, layer, provider } = world({}, paused(millis))
    return Effect.gen(function* () {
      yield* fund()
      const sale = yield* Effect.forkChild(sell(intent(), provider))
      yield* TestClock.adjust(millis)
      const answered = yield* Fiber.join(sale)
      assert.strictEqual(answered.outcome._tag, heard)
      assert.deepStrictEqual(yield* sales, [["RD-k1", status]])
      assert.deepStrictEqual(dispatched, [...sent])
    }).pipe(Effect.provide(layer))
  })
})

describe("a sale paused for too long to be sent", () => {
  const slept_ms = 120_000
  const refused = StatusAnswer.Refused({ refusal: "TRANSACTION_REJECTED" })

  it.effect("replays the response that its caller received", () => {
    const { dispatched, layer, provider } = world({}, paused(slept_ms))
    return Effect.gen(function* () {
      yield* fund()
      const sale = yield* Effect.forkChild(sell(intent(), provider))
      yield* TestClock.adjust(slept_ms)
      const first = yield* Fiber.join(sale)
      assert.strictEqual(first.outcome._tag, "Pending")
      assert.deepStrictEqual(yield* sell(intent(), provider), { ...first, replayed: true })
      assert.deepStrictEqual(yield* money, { available: 90_000, held: 10_000, consumed: 10_000 })
      assert.deepStrictEqual(dispatched, [])
    }).pipe(Effect.provide(layer))
  })

  it.effect("answers with recovery's result if recovery has settled the sale during the pause", () => {
    const { dispatched, layer, provider } = world({ status: () => Effect.succeed(refused) }, paused(slept_ms))
    return Effect.gen(function* () {
      yield* fund()
      const sale = yield* Effect.forkChild(sell(intent(), provider))
      yield* TestClock.adjust("1 minute")
      yield* recover("due")
      yield* TestClock.adjust("1 minute")
      const first = yield* Fiber.join(sale)
      assert.strictEqual(first.outcome._tag, "Refused")
      assert.deepStrictEqual(yield* sell(intent(), provider), { ...first, replayed: true })
      assert.deepStrictEqual(yield* money, { available: 100_000, held: 0, consumed: 0 })
      assert.deepStrictEqual(dispatched, [])
    }).pipe(Effect.provide(layer))
  })
})

describe("a process paused after a reservation, with its clock set back during the pause", () => {
  it.effect.each([
    [10_000, "Delivered", "SUCCESS", ["RD-k1"]],
    [10_001, "Pending", "PENDING", []]
  ] as const)("sends the order only within ten seconds: after %d ms", ([millis, heard, status, sent]) => {
    const resumed = Deferred.makeUnsafe<void>()
    const { dispatched, layer, provider } = world({}, (ledger) => ({
      ...ledger,
      reserve: (wanted) => Effect.tap(ledger.reserve(wanted), () => Deferred.await(resumed))
    }))
    return Effect.gen(function* () {
      yield* fund()
      const sale = yield* Effect.forkChild(sell(intent(), provider))
      yield* TestClock.adjust(millis)
      yield* TestClock.setTime(0)
      yield* Deferred.succeed(resumed, undefined)
      const answered = yield* Fiber.join(sale)
      assert.strictEqual(answered.outcome._tag, heard)
      assert.deepStrictEqual(yield* sales, [["RD-k1", status]])
      assert.deepStrictEqual(dispatched, [...sent])
    }).pipe(Effect.provide(layer))
  })
})
