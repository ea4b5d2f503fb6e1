import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine } from "../support/CommandLine.ts"
import { intentOf, reservedOrder, unansweredAgain } from "../support/Sales.ts"
import {
  age,
  companyOf,
  failed,
  first,
  givenBack,
  inDoubt,
  moneyOf,
  reversed,
  second,
  stands,
  success,
  the
} from "./support/ReversalInDoubt.ts"

layer(CommandLine.layer, { excludeTestServices: true })("a proposal about a reversal", (it) => {
  it.effect("is not settled by what was found of a sale, nor a sale by what was found of a reversal", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { id } = yield* inDoubt("KIND")
      const ofSale = yield* refusal("transactions", "resolve", id, ...failed, ...first)
      assert.deepStrictEqual([ofSale.code, ofSale.details.motivo], ["TRANSACTION_NOT_RESOLVABLE", "reversal"])
      assert.match(ofSale.message, /--as reversed .* --as stands/)
      yield* answer("transactions", "resolve", id, ...stands, ...first)
      yield* answer("transactions", "confirm", id, ...the(1), ...second)
      const none = yield* refusal("transactions", "resolve", id, ...reversed, ...first)
      assert.strictEqual(none.details.motivo, "no_reversal")
      const { company, ledger } = yield* companyOf("KIND-2")
      const { transactionId } = yield* reservedOrder(ledger, intentOf(company, "sale", 100))
      yield* age(company)
      const ofReversal = yield* refusal("transactions", "resolve", `${transactionId}`, ...reversed, ...first)
      assert.strictEqual(ofReversal.details.motivo, "unsettled")
      assert.match(ofReversal.message, /--as success or --as failed/)
    }).pipe(Effect.scoped)
  )

  it.effect("may be one of a sale that two operators had settled themselves", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { company, ledger } = yield* companyOf("TWICE")
      const sale = { ...intentOf(company, "sale", 100), environment: "production" as const, reversible: true }
      const order = yield* reservedOrder(ledger, sale)
      const id = `${order.transactionId}`
      yield* age(company)
      yield* answer("transactions", "resolve", id, ...success, ...first)
      yield* answer("transactions", "confirm", id, ...the(1), ...second)
      yield* unansweredAgain(order, "reversal")
      yield* age(company)
      const early = yield* refusal("transactions", "confirm", id, ...the(1), ...second)
      assert.strictEqual(early.details.motivo, "reversal", "what was confirmed of the sale is not of its reversal")
      const proposed = yield* answer("transactions", "resolve", id, ...reversed, ...first)
      assert.strictEqual(proposed.propuesta, 2)
      const confirmed = yield* answer("transactions", "confirm", id, ...the(2), ...second)
      assert.strictEqual(confirmed.status, "REVERSED")
      assert.deepStrictEqual(yield* moneyOf(company), givenBack)
    }).pipe(Effect.scoped)
  )

  it.effect("is not settled by a proposal of an earlier one, nor kept from a new one by that", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { company, id, order } = yield* inDoubt("AGAIN")
      yield* answer("transactions", "resolve", id, ...stands, ...first)
      yield* answer("transactions", "confirm", id, ...the(1), ...second)
      yield* unansweredAgain(order, "another")
      yield* age(company)
      const { details } = yield* refusal("transactions", "confirm", id, ...the(1), ...second)
      assert.strictEqual(details.motivo, "outdated")
      yield* answer("transactions", "resolve", id, ...reversed, ...first)
      yield* answer("transactions", "confirm", id, ...the(2), ...second)
      assert.deepStrictEqual(yield* moneyOf(company), givenBack)
    }).pipe(Effect.scoped)
  )

  it.effect("takes no proof of a delivery", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { exit, message } = yield* refusal(
        "transactions",
        "resolve",
        "1",
        ...stands,
        "--autorizacion",
        "X",
        ...first
      )
      assert.strictEqual(exit, 2)
      assert.match(message, /--as stands takes neither/)
    })
  )
})
