import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { CompanyId, Identifier, TerminalId } from "../../../core/domain/Ids.ts"
import type { IssuedPolicy } from "../../../core/domain/Insurance.ts"
import { Amount } from "../../../core/domain/Money.ts"
import { DispatchAnswer } from "../../../core/domain/Sale.ts"
import type { Session } from "../../../core/domain/Session.ts"
import { Transactions } from "../../../core/ports/Transactions.ts"
import { quoteInsurance } from "../../../core/workflows/InsuranceSteps.ts"
import { type Purchase, purchase } from "../../../core/workflows/Purchase.ts"
import { factsOf, service, session } from "../../support/Examples.ts"
import { fund, money } from "../../support/InMemoryWorld.ts"
import {
  buy,
  charged,
  held,
  insuring,
  issued,
  now,
  planned,
  policy,
  price,
  quoted,
  seller,
  stateOf,
  statuses,
  wanted,
  whole
} from "../support/InsuranceWorld.ts"

describe("a sale of an insurance", () => {
  // the insurer's answer -> the response, status of the sale, state of the insurance, the money
  it.effect.each([
    [
      "issues the policy",
      Effect.succeed(DispatchAnswer.Delivered({ delivery: policy })),
      "Delivered",
      "SUCCESS",
      "emitida",
      charged
    ],
    [
      "refuses",
      Effect.succeed(DispatchAnswer.Refused({ refusal: "SEGURO_NO_EMITIDO" })),
      "Refused",
      "FAILED",
      "fallida",
      whole
    ],
    ["does not know the result", Effect.succeed(DispatchAnswer.Unknown()), "Pending", "PENDING", "emitiendo", held],
    ["fails", Effect.die(new Error("reset")), "Pending", "PENDING", "emitiendo", held]
  ] as const)("ends as the insurer's answer says when the insurer %s", ([, says, heard, status, state, left]) => {
    const { asked, dispatched, layer } = insuring({ insurer: { issue: () => says } })
    return Effect.gen(function* () {
      yield* fund(1_000_000)
      const insurance = yield* quoted()
      const { outcome } = yield* buy(insurance)
      assert.strictEqual(outcome._tag, heard)
      assert.deepStrictEqual(yield* statuses, [status])
      assert.deepStrictEqual(yield* money, left)
      const after = yield* now(insurance)
      assert.strictEqual(after.state, state)
      assert.strictEqual(
        after.transactionId,
        outcome._tag === "Delivered" ? outcome.order.transactionId : outcome.transactionId
      )
      assert.strictEqual(issued(asked), 1)
      assert.deepStrictEqual(dispatched, [])
    }).pipe(Effect.provide(layer))
  })

  it.effect.each([
    [null, "caja-1"],
    [TerminalId.make("caja-2"), "caja-2"]
  ] as const)(
    "is recorded with its own terminal, or else with the terminal that started the insurance: %s",
    ([terminalId, terminal]) => {
      const { layer } = insuring()
      return Effect.gen(function* () {
        yield* fund(1_000_000)
        const insurance = yield* quoted()
        yield* purchase(seller, { ...wanted(insurance), terminalId })
        const { items } = yield* Transactions.use((all) => all.list(seller.company.id, {}, { page: 1, perPage: 1 }))
        assert.strictEqual(String(items[0]?.terminalId), terminal)
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("stores the policy with the insurance", () => {
    const { layer } = insuring({
      insurer: { issue: () => Effect.succeed(DispatchAnswer.Delivered({ delivery: policy })) }
    })
    return Effect.gen(function* () {
      yield* fund(1_000_000)
      const insurance = yield* quoted()
      const { outcome } = yield* buy(insurance)
      if (outcome._tag !== "Delivered") return assert.fail(outcome._tag)
      assert.deepStrictEqual((yield* now(insurance)).policy, {
        ...policy,
        issuedAt: outcome.processedAt
      })
    }).pipe(Effect.provide(layer))
  })

  it.effect("reserves the amount and marks the insurance before it requests the policy", () => {
    const reply = Deferred.makeUnsafe<DispatchAnswer<IssuedPolicy>>()
    const { layer } = insuring({ insurer: { issue: () => Deferred.await(reply) } })
    return Effect.gen(function* () {
      yield* fund(1_000_000)
      const insurance = yield* quoted()
      const sale = yield* Effect.forkChild(buy(insurance))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* stateOf(insurance), "emitiendo")
      assert.deepStrictEqual(yield* statuses, ["PROCESSING"])
      assert.deepStrictEqual(yield* money, held)
      yield* Deferred.succeed(reply, DispatchAnswer.Delivered({ delivery: policy }))
      assert.strictEqual((yield* Fiber.join(sale)).outcome._tag, "Delivered")
    }).pipe(Effect.provide(layer))
  })

  it.effect("is pending when the insurer does not answer for 30 seconds", () => {
    const { layer } = insuring({ insurer: { issue: () => Effect.never } })
    return Effect.gen(function* () {
      yield* fund(1_000_000)
      const insurance = yield* quoted()
      const sale = yield* Effect.forkChild(buy(insurance))
      yield* TestClock.adjust("29999 millis")
      assert.isUndefined(sale.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(sale)).outcome._tag, "Pending")
      assert.strictEqual(yield* stateOf(insurance), "emitiendo")
      assert.deepStrictEqual(yield* money, held)
    }).pipe(Effect.provide(layer))
  })

  it.effect("frees the quote, the money and the key if the order was not sent", () => {
    const answers = [DispatchAnswer.NotSent(), DispatchAnswer.Delivered({ delivery: policy })]
    const { asked, layer } = insuring({
      insurer: { issue: () => Effect.sync(() => answers.shift() ?? DispatchAnswer.Unknown()) }
    })
    return Effect.gen(function* () {
      yield* fund(1_000_000)
      const insurance = yield* quoted()
      assert.strictEqual((yield* Effect.flip(buy(insurance)))._tag, "ServiceUnavailable")
      assert.deepStrictEqual(yield* now(insurance), insurance)
      assert.deepStrictEqual(yield* money, whole)
      const retried = yield* buy(insurance)
      assert.strictEqual(retried.outcome._tag, "Delivered")
      assert.isFalse(retried.replayed)
      assert.strictEqual(issued(asked), 2)
      assert.deepStrictEqual(yield* statuses, ["FAILED", "SUCCESS"])
      assert.strictEqual(yield* stateOf(insurance), "emitida")
    }).pipe(Effect.provide(layer))
  })
})

describe("a request to buy an insurance", () => {
  const neighbour: Session = { ...seller, company: { ...seller.company, id: CompanyId.make(8) } }
  const live: Session = { ...seller, company: { ...seller.company, environment: "production" } }
  const invalid = { _tag: "InvalidOption" }

  // company, request -> the outcome, or the error
  it.effect.each([
    ["with a plate in lower case", seller, { identifier: Identifier.make("a123458") }, "Delivered"],
    ["with its price", seller, { amount: Amount.make(price) }, "Delivered"],
    ["with another price", seller, { amount: Amount.make(price + 1) }, { _tag: "PriceMismatch", price }],
    ["with another plate", seller, { identifier: Identifier.make("A123459") }, invalid],
    ["with the id of an insurance that does not exist", seller, { optionId: "seguro:99" }, invalid],
    ["with the id of a package", seller, { optionId: "paq-1" }, invalid],
    ["with the id of another service", seller, { serviceId: service.id }, invalid],
    ["by another company", neighbour, {}, invalid],
    ["by a company in the other environment", live, {}, invalid],
    ["by a company that may not sell insurance", session, {}, { _tag: "Forbidden", why: "insurance" }]
  ] as ReadonlyArray<readonly [string, Session, Partial<Purchase>, unknown]>)(
    "is accepted or refused as the contract says: %s",
    ([, by, changes, expected]) => {
      const { asked, layer } = insuring()
      return Effect.gen(function* () {
        yield* fund(1_000_000)
        const insurance = yield* quoted()
        const heard = yield* Effect.result(purchase(by, { ...wanted(insurance), ...changes }))
        if (Result.isSuccess(heard)) {
          assert.strictEqual(heard.success.outcome._tag, expected)
          assert.deepStrictEqual(yield* money, charged)
          return
        }
        assert.deepStrictEqual(factsOf(heard.failure), expected)
        assert.strictEqual(issued(asked), 0)
        assert.deepStrictEqual(yield* money, whole)
        assert.deepStrictEqual(yield* now(insurance), insurance)
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("without an option gets an error that explains how to obtain one", () => {
    const { layer } = insuring()
    return Effect.gen(function* () {
      const insurance = yield* quoted()
      const error = yield* Effect.flip(purchase(seller, { ...wanted(insurance), optionId: null }))
      assert.deepInclude(factsOf(error), { _tag: "OptionRequired", flow: "seguros" })
    }).pipe(Effect.provide(layer))
  })

  it.effect("is refused before the insurance has a quote", () => {
    const { layer } = insuring()
    return Effect.gen(function* () {
      yield* fund(1_000_000)
      assert.strictEqual((yield* Effect.flip(buy(yield* planned())))._tag, "QuoteMissing")
    }).pipe(Effect.provide(layer))
  })

  it.effect("is refused 30 minutes after the quote, and possible after a new quote", () => {
    const { asked, layer } = insuring()
    return Effect.gen(function* () {
      yield* fund(1_000_000)
      const insurance = yield* quoted()
      yield* TestClock.adjust("30 minutes")
      assert.strictEqual((yield* Effect.flip(buy(insurance)))._tag, "QuoteExpired")
      assert.strictEqual(issued(asked), 0)
      yield* quoteInsurance(seller, insurance.id, [])
      yield* TestClock.adjust("1799999 millis")
      assert.strictEqual((yield* buy(insurance)).outcome._tag, "Delivered")
    }).pipe(Effect.provide(layer))
  })

  it.effect("is refused for lack of balance, and possible after a deposit", () => {
    const { asked, layer } = insuring()
    return Effect.gen(function* () {
      yield* fund(price - 1)
      const insurance = yield* quoted()
      assert.strictEqual((yield* Effect.flip(buy(insurance)))._tag, "InsufficientBalance")
      assert.deepStrictEqual(yield* now(insurance), insurance)
      assert.strictEqual(issued(asked), 0)
      yield* fund(1, "lo que faltaba")
      assert.strictEqual((yield* buy(insurance)).outcome._tag, "Delivered")
    }).pipe(Effect.provide(layer))
  })
})
