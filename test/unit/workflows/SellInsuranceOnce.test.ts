import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import type { Insurance } from "../../../core/domain/Insurance.ts"
import { choosePlan, quoteInsurance } from "../../../core/workflows/InsuranceSteps.ts"
import { purchase } from "../../../core/workflows/Purchase.ts"
import { session } from "../../support/Examples.ts"
import { type Fault, fund, money } from "../../support/InMemoryWorld.ts"
import { buy, insuring, issued, price, quoted, seller, wanted } from "../support/InsuranceWorld.ts"

describe("a quote", () => {
  it.effect.each([
    ["A123458", "emitida"],
    ["A123451", "fallida"],
    ["A123412", "emitiendo"]
  ] as const)("is sold once for the plate %s, even if the insurance ends as %s", ([plate, state]) => {
    const { asked, layer } = insuring()
    return Effect.gen(function* () {
      yield* fund(1_000_000)
      const insurance = yield* quoted(plate)
      const first = yield* buy(insurance)
      const error = yield* Effect.flip(buy(insurance, "k2"))
      assert.deepInclude(error._tag === "AlreadySold" ? { ...error } : {}, { insuranceId: insurance.id, state })
      // A retry with the key of the first sale gets a replay, even if the company may no longer sell insurance.
      assert.deepStrictEqual(yield* buy(insurance), { outcome: first.outcome, replayed: true })
      assert.deepStrictEqual(yield* purchase(session, wanted(insurance)), { outcome: first.outcome, replayed: true })
      assert.strictEqual(issued(asked), 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is sold once when three sales request it at the same time", () => {
    const { asked, layer } = insuring()
    return Effect.gen(function* () {
      yield* fund(10_000_000)
      const insurance = yield* quoted()
      const all = yield* Effect.forEach(["k1", "k2", "k3"], (key) => Effect.result(buy(insurance, key)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        all.map((heard) => (Result.isSuccess(heard) ? heard.success.outcome._tag : heard.failure._tag)).sort(),
        ["AlreadySold", "AlreadySold", "Delivered"]
      )
      assert.strictEqual(issued(asked), 1)
      assert.strictEqual((yield* money).available, 10_000_000 - price)
    }).pipe(Effect.provide(layer))
  })
})

/** Waits one second between reading the quote and reserving its amount. */
const slow: Fault = (ledger) => ({ ...ledger, reserve: (intent) => Effect.delay(ledger.reserve(intent), "1 second") })

/** Buys the insurance, and runs an action while the sale is being reserved. */
const meanwhile = Effect.fnUntraced(function* <E, R>(change: (insurance: Insurance) => Effect.Effect<unknown, E, R>) {
  yield* fund(1_000_000)
  const insurance = yield* quoted()
  const sale = yield* Effect.forkChild(Effect.result(buy(insurance)))
  yield* TestClock.adjust("500 millis")
  yield* change(insurance)
  yield* TestClock.adjust("2 seconds")
  const heard = yield* Fiber.join(sale)
  return Result.isSuccess(heard) ? heard.success.outcome._tag : heard.failure._tag
})

describe("a quote that changes during its sale", () => {
  it.effect("is sold with its new price", () => {
    const { asked, layer } = insuring({ ledger: slow })
    return Effect.gen(function* () {
      const heard = yield* meanwhile(({ id }) => quoteInsurance(seller, id, ["grua"]))
      assert.strictEqual(heard, "Delivered")
      assert.strictEqual((yield* money).consumed, price + 85_000)
      assert.strictEqual(issued(asked), 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is not sold if another plan was chosen", () => {
    const { asked, layer } = insuring({ ledger: slow })
    return Effect.gen(function* () {
      const heard = yield* meanwhile(({ id, version }) =>
        choosePlan(seller, id, { version: version?.id ?? "", plan: "LEY-6" })
      )
      assert.strictEqual(heard, "QuoteMissing")
      assert.deepStrictEqual(yield* money, { available: 1_000_000, held: 0, consumed: 0 })
      assert.strictEqual(issued(asked), 0)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is not sold if it has expired", () => {
    const { asked, layer } = insuring({ ledger: slow })
    return Effect.gen(function* () {
      yield* fund(1_000_000)
      const insurance = yield* quoted()
      yield* TestClock.adjust("1799500 millis")
      const sale = yield* Effect.forkChild(Effect.flip(buy(insurance)))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(sale))._tag, "QuoteExpired")
      assert.strictEqual(issued(asked), 0)
    }).pipe(Effect.provide(layer))
  })
})
