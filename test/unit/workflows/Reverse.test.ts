import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { TransactionId } from "../../../core/domain/Ids.ts"
import { periodsAt } from "../../../core/domain/LocalTime.ts"
import { Accounts } from "../../../core/ports/Accounts.ts"
import { company } from "../../support/Examples.ts"
import { fund, money, sales } from "../../support/InMemoryWorld.ts"
import { type Reply, reversalWorld, reverseSale, sold } from "../support/Operations.ts"

describe("the reversal of a sale of 100 pesos out of 1000", () => {
  it.effect("is pending when the provider has not received it yet, and moves no money", () => {
    const { layer, sent } = reversalWorld({ told: Effect.succeed("not found") })
    return Effect.gen(function* () {
      yield* fund()
      const answered = yield* reverseSale(yield* sold())
      assert.deepStrictEqual([answered.outcome._tag, answered.replayed], ["Pending", false])
      assert.deepStrictEqual(yield* sales, [["RD-k1", "SUCCESS"]])
      assert.deepStrictEqual(yield* money, { available: 90_000, held: 0, consumed: 10_000 })
      assert.lengthOf(sent, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("returns the consumption to the day of the sale, not to the day of the reversal", () => {
    const { layer } = reversalWorld()
    return Effect.gen(function* () {
      yield* TestClock.setTime(DateTime.toEpochMillis(DateTime.makeUnsafe("2026-03-03T12:00:00Z")))
      yield* fund()
      const id = yield* sold()
      yield* TestClock.adjust("1 day")
      yield* sold({ key: "k2" })
      yield* reverseSale(id)
      const periods = periodsAt(yield* DateTime.now)
      const { consumption } = yield* Accounts.use((accounts) => accounts.read(company.id, periods))
      assert.deepStrictEqual({ ...consumption } as object, { daily: 10_000, weekly: 10_000, monthly: 10_000 })
    }).pipe(Effect.provide(layer))
  })
})

describe("a reversal that is refused", () => {
  it.effect.each([
    ["the sale does not exist", TransactionId.make(999), "NotFound"],
    ["the service is not reversible", sold({ reversible: false }), "ReversalNotSupported"],
    ["the sale is already reversed", Effect.tap(sold(), (id) => reverseSale(id, "r0")), "NotReversible"]
  ] as const)("does not reach the provider and leaves its key free, because %s", ([, id, tag]) => {
    const { layer, sent } = reversalWorld()
    return Effect.gen(function* () {
      yield* fund()
      const before = Effect.isEffect(id) ? yield* id : id
      const sentBefore = sent.length
      assert.strictEqual((yield* Effect.flip(reverseSale(before)))._tag, tag)
      assert.lengthOf(sent, sentBefore)
      const another = yield* reverseSale(yield* sold({ key: "k2" }))
      assert.strictEqual(another.outcome._tag, "Reversed")
      assert.isFalse(another.replayed)
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "is refused as in progress during another reversal of the same sale, and can be retried once that reversal is denied",
    () => {
      const reply = Deferred.makeUnsafe<Reply>()
      const { layer, sent } = reversalWorld({ told: Deferred.await(reply) })
      return Effect.gen(function* () {
        yield* fund()
        const id = yield* sold()
        const first = yield* Effect.forkChild(reverseSale(id, "r1"))
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Effect.flip(reverseSale(id, "r2")))._tag, "RequestInProgress")
        yield* Deferred.succeed(reply, "refused")
        assert.strictEqual((yield* Fiber.join(first)).outcome._tag, "Denied")
        assert.strictEqual((yield* reverseSale(id, "r2")).outcome._tag, "Denied")
        assert.lengthOf(sent, 2)
      }).pipe(Effect.provide(layer))
    }
  )
})

describe("the key of a running reversal", () => {
  it.effect("is refused as reused if it names another sale or is the key of a sale", () => {
    const { layer, sent } = reversalWorld({ told: Effect.never })
    return Effect.gen(function* () {
      yield* fund()
      const id = yield* sold()
      const other = yield* sold({ key: "k2" })
      yield* Effect.forkChild(reverseSale(id))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Effect.flip(reverseSale(other)))._tag, "KeyReused")
      assert.strictEqual((yield* Effect.flip(reverseSale(id, "k1")))._tag, "KeyReused")
      assert.strictEqual((yield* Effect.flip(sold({ key: "r1" })))._tag, "KeyReused")
      yield* TestClock.adjust("15 minutes")
      assert.lengthOf(sent, 1)
    }).pipe(Effect.provide(layer))
  })
})
