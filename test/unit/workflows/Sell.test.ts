import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { DispatchAnswer, saleIn } from "../../../core/domain/Sale.ts"
import { type Replay, Replays } from "../../../core/ports/Histories.ts"
import { Reserved } from "../../../core/ports/Ledger.ts"
import type { Provider } from "../../../core/ports/Provider.ts"
import { sell } from "../../../core/workflows/Sell.ts"
import { company, intent } from "../../support/Examples.ts"
import { delivery, type Fault, fund, money, sales, world } from "../../support/InMemoryWorld.ts"

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

const answering = (answer: DispatchAnswer): Partial<Provider> => ({ dispatch: () => Effect.succeed(answer) })

const silent: Partial<Provider> = { dispatch: () => Effect.never }

describe("a sale of 100 pesos out of 1000", () => {
  // the provider's answer -> the response, status of the sale, the money
  it.effect.each([
    ["delivers", Effect.succeed(DispatchAnswer.Delivered({ delivery })), "Delivered", "SUCCESS", [90_000, 0, 10_000]],
    [
      "refuses",
      Effect.succeed(DispatchAnswer.Refused({ refusal: "INVALID_PHONE" })),
      "Refused",
      "FAILED",
      [100_000, 0, 0]
    ],
    [
      "does not know the result",
      Effect.succeed(DispatchAnswer.Unknown()),
      "Pending",
      "PENDING",
      [90_000, 10_000, 10_000]
    ],
    ["fails", Effect.die(new Error("reset")), "Pending", "PENDING", [90_000, 10_000, 10_000]],
    ["is interrupted", Effect.interrupt, "Pending", "PENDING", [90_000, 10_000, 10_000]]
  ] as const)(
    "ends as the provider's answer says when the provider %s",
    ([, says, heard, status, [available, held, consumed]]) => {
      const { dispatched, layer, provider } = world({ dispatch: () => says })
      return Effect.gen(function* () {
        yield* fund()
        const answered = yield* sell(intent(), provider)
        assert.strictEqual(answered.outcome._tag, heard)
        assert.isFalse(answered.replayed)
        assert.deepStrictEqual(yield* sales, [["RD-k1", status]])
        assert.deepStrictEqual(yield* money, { available, held, consumed })
        assert.deepStrictEqual(dispatched, ["RD-k1"])
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("is pending only after the provider has not answered for 30 seconds", () => {
    const { layer, provider } = world(silent)
    return Effect.gen(function* () {
      yield* fund()
      const sale = yield* Effect.forkChild(sell(intent(), provider))
      yield* TestClock.adjust("29999 millis")
      assert.isUndefined(sale.pollUnsafe())
      assert.deepStrictEqual(yield* sales, [["RD-k1", "PROCESSING"]])
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(sale)).outcome._tag, "Pending")
      assert.deepStrictEqual(yield* sales, [["RD-k1", "PENDING"]])
      assert.deepStrictEqual(yield* money, { available: 90_000, held: 10_000, consumed: 10_000 })
    }).pipe(Effect.provide(layer))
  })

  it.effect("releases the money and frees the key if it was not sent, and a retry has the same xid", () => {
    const answers = [DispatchAnswer.NotSent(), DispatchAnswer.Delivered({ delivery })]
    const { dispatched, layer, provider } = world({
      dispatch: () => Effect.sync(() => answers.shift() ?? DispatchAnswer.Unknown())
    })
    return Effect.gen(function* () {
      yield* fund()
      const error = yield* Effect.flip(sell(intent(), provider))
      assert.strictEqual(error._tag, "ServiceUnavailable")
      assert.deepStrictEqual(yield* money, { available: 100_000, held: 0, consumed: 0 })
      const retried = yield* sell(intent(), provider)
      assert.strictEqual(retried.outcome._tag, "Delivered")
      assert.isFalse(retried.replayed)
      assert.deepStrictEqual(dispatched, ["RD-k1", "RD-k1"])
      assert.deepStrictEqual(yield* sales, [
        ["RD-k1", "FAILED"],
        ["RD-k1", "SUCCESS"]
      ])
    }).pipe(Effect.provide(layer))
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

describe("a repeated key", () => {
  it.effect.each([
    DispatchAnswer.Delivered({ delivery }),
    DispatchAnswer.Refused({ refusal: "TRANSACTION_REJECTED" }),
    DispatchAnswer.Unknown()
  ])("replays the first response without another sale: %j", (answer) => {
    const { dispatched, layer, provider } = world(answering(answer))
    return Effect.gen(function* () {
      yield* fund()
      const first = yield* sell(intent(), provider)
      const after = yield* money
      yield* TestClock.adjust("23 hours")
      assert.deepStrictEqual(yield* sell(intent(), provider), { outcome: first.outcome, replayed: true })
      assert.deepStrictEqual(dispatched, ["RD-k1"])
      assert.strictEqual((yield* money).available, after.available)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is in progress while its sale runs, is refused with a different body, and sells only once", () => {
    const { dispatched, layer, provider } = world(silent)
    return Effect.gen(function* () {
      yield* fund()
      const sale = yield* Effect.forkChild(sell(intent(), provider))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Effect.flip(sell(intent(), provider)))._tag, "RequestInProgress")
      assert.strictEqual((yield* Effect.flip(sell(intent({ body: "bb" }), provider)))._tag, "KeyReused")
      assert.deepStrictEqual(dispatched, ["RD-k1"])
      yield* TestClock.adjust("28 seconds")
      yield* Fiber.join(sale)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is a conflict more than a day after its sale succeeded, never a second sale", () => {
    const { dispatched, layer, provider } = world()
    return Effect.gen(function* () {
      yield* fund()
      yield* sell(intent(), provider)
      yield* TestClock.adjust("24 hours")
      assert.isTrue((yield* sell(intent(), provider)).replayed)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Effect.flip(sell(intent(), provider)))._tag, "IdempotencyConflict")
      assert.deepStrictEqual(dispatched, ["RD-k1"])
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

describe("a sale whose caller disconnects", () => {
  it.effect("continues and is settled", () => {
    const reply = Deferred.makeUnsafe<DispatchAnswer>()
    const { layer, provider } = world({ dispatch: () => Deferred.await(reply) })
    return Effect.gen(function* () {
      yield* fund()
      const caller = yield* Effect.forkChild(sell(intent(), provider))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(caller)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(caller)))
      assert.deepStrictEqual(yield* sales, [["RD-k1", "PROCESSING"]])
      yield* Deferred.succeed(reply, DispatchAnswer.Delivered({ delivery }))
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(yield* sales, [["RD-k1", "SUCCESS"]])
      const again = yield* sell(intent(), provider)
      assert.strictEqual(again.outcome._tag, "Delivered")
      assert.isTrue(again.replayed)
    }).pipe(Effect.provide(layer))
  })
})
