import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { saleIn } from "../../../core/domain/Sale.ts"
import { type Replay, Replays } from "../../../core/ports/Histories.ts"
import { Reserved } from "../../../core/ports/Ledger.ts"
import { sell } from "../../../core/workflows/Sell.ts"
import { company, intent } from "../../support/Examples.ts"
import { type Fault, fund, money, sales, world } from "../../support/InMemoryWorld.ts"

describe("the caller who repeats a key", () => {
  it.effect("receives the response before the replay is recorded, even if recording fails", () => {
    const noted: Array<Replay> = []
    const begun = Deferred.makeUnsafe<void>()
    const go = Deferred.makeUnsafe<void>()
    const { layer, provider } = world()
    const replays = Layer.succeed(Replays, {
      record: (replay) =>
        Effect.gen(function* () {
          noted.push(replay)
          yield* Deferred.succeed(begun, undefined)
          yield* Deferred.await(go)
          return yield* Effect.die(new Error("gone"))
        })
    })
    return Effect.gen(function* () {
      yield* fund()
      const { outcome } = yield* sell(intent(), provider)
      assert.deepStrictEqual(yield* sell(intent(), provider), { outcome, replayed: true })
      yield* Deferred.await(begun)
      yield* Deferred.succeed(go, undefined)
      const { transactionId } = saleIn(outcome)
      assert.deepStrictEqual(noted, [{ companyId: company.id, transactionId, about: "sale", at: yield* DateTime.now }])
    }).pipe(Effect.provide(Layer.merge(layer, replays)))
  })
})

describe("a sale that cannot be reserved", () => {
  it.effect.each([
    ["costs more than the available balance", 100_001, "InsufficientBalance"],
    ["exceeds a limit, which is checked before the balance", 5_000_001, "LimitExceeded"]
  ] as const)("does not reach the provider and leaves its key free, because it %s", ([, amount, tag]) => {
    const { dispatched, layer, provider } = world()
    return Effect.gen(function* () {
      yield* fund()
      const error = yield* Effect.flip(sell(intent({ amount }), provider))
      assert.strictEqual(error._tag, tag)
      assert.deepStrictEqual(dispatched, [])
      assert.deepStrictEqual(yield* sales, [])
      assert.deepStrictEqual(yield* money, { available: 100_000, held: 0, consumed: 0 })
      const corrected = yield* sell(intent({ body: "bb" }), provider)
      assert.strictEqual(corrected.outcome._tag, "Delivered")
    }).pipe(Effect.provide(layer))
  })
})

describe("the key of a running sale", () => {
  it.effect("is refused as reused with a different body", () => {
    const { dispatched, layer, provider } = world({ dispatch: () => Effect.never })
    return Effect.gen(function* () {
      yield* fund()
      const sale = yield* Effect.forkChild(sell(intent(), provider))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Effect.flip(sell(intent({ body: "bb" }), provider)))._tag, "KeyReused")
      assert.deepStrictEqual(dispatched, ["RD-k1"])
      yield* TestClock.adjust("28 seconds")
      yield* Fiber.join(sale)
    }).pipe(Effect.provide(layer))
  })
})

/** Suspends the machine for this long after the reservation: the monotonic clock stops, the wall clock continues. */
const suspended =
  (millis: number): Fault =>
  (ledger) => ({
    ...ledger,
    reserve: (wanted) =>
      Effect.map(ledger.reserve(wanted), (reserved) =>
        reserved._tag === "Replay"
          ? reserved
          : Reserved.Reservation({
              order: { ...reserved.order, createdAt: DateTime.subtractDuration(reserved.order.createdAt, millis) }
            })
      )
  })

describe("a machine suspended after a reservation", () => {
  it.effect.each([
    [10_000, "Delivered", ["RD-k1"]],
    [10_001, "Pending", []]
  ] as const)("sends the order only within ten seconds: after %d ms", ([millis, heard, sent]) => {
    const { dispatched, layer, provider } = world({}, suspended(millis))
    return Effect.gen(function* () {
      yield* fund()
      const answered = yield* sell(intent(), provider)
      assert.strictEqual(answered.outcome._tag, heard)
      assert.deepStrictEqual(dispatched, [...sent])
    }).pipe(Effect.provide(layer))
  })
})
