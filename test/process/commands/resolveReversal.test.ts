import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine } from "../../support/CommandLine.ts"
import { intentOf, reservedOrder, unansweredAgain } from "../../support/SalesOnPostgres.ts"
import {
  charged,
  companyOf,
  failed,
  first,
  givenBack,
  makeOlder,
  moneyOf,
  proposalFlag,
  reversed,
  second,
  secondUnasked,
  stands,
  success,
  unresolvedReversal
} from "../support/Resolutions.ts"

layer(CommandLine.layer, { excludeTestServices: true })("a reversal without an answer from its provider", (it) => {
  it.effect("shows in the history of its sale who proposed and who confirmed its outcome", () =>
    Effect.gen(function* () {
      const { answer, run } = yield* CommandLine
      const { id } = yield* unresolvedReversal("TOLD")
      yield* answer("transactions", "resolve", id, ...reversed, ...first)
      yield* answer("transactions", "confirm", id, ...proposalFlag(1), ...secondUnasked)
      const { historia } = yield* answer("transactions", "show", id)
      const events = historia
        .slice(-5)
        .map((each: { evento: string; por?: string; detalles?: { operator: string } }) => [
          each.evento,
          each.por ?? each.detalles?.operator ?? null
        ])
      assert.deepStrictEqual(events, [
        ["resolution_proposed", "turno-1"],
        ["resolution_agreed", "turno-2"],
        ["reversal_ended", "operator"],
        ["entered", null],
        ["resolution_confirmed", "turno-2"]
      ])
      const settled = historia.find(({ evento }: { evento: string }) => evento === "settled")
      assert.strictEqual(settled.por, "call", "the sale itself was settled by its call")
      const { stdout } = yield* run("transactions", "show", id)
      assert.match(stdout, /reversal RV-\S+ ended by two operators: CONFIRMED/)
    })
  )

  it.effect("is settled without asking the provider only with --sin-preguntar", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { company, id } = yield* unresolvedReversal("UNASKED")
      yield* answer("transactions", "resolve", id, ...reversed, ...first)
      const { code, details, message } = yield* refusal("transactions", "confirm", id, ...proposalFlag(1), ...second)
      assert.strictEqual(code, "RESOLUTION_NOT_CONFIRMABLE")
      assert.strictEqual(details.motivo, "not_asked")
      assert.match(message, /--sin-preguntar/)
      assert.deepStrictEqual(yield* moneyOf(company), charged)
      yield* answer("transactions", "confirm", id, ...proposalFlag(1), ...secondUnasked)
      assert.deepStrictEqual(yield* moneyOf(company), givenBack)
    })
  )
})

layer(CommandLine.layer, { excludeTestServices: true })("a proposal to resolve a reversal", (it) => {
  it.effect(
    "is refused with an outcome for a sale, and a proposal for a sale is refused with an outcome for a reversal",
    () =>
      Effect.gen(function* () {
        const { answer, refusal } = yield* CommandLine
        const { id } = yield* unresolvedReversal("KIND")
        const ofSale = yield* refusal("transactions", "resolve", id, ...failed, ...first)
        assert.deepStrictEqual([ofSale.code, ofSale.details.motivo], ["TRANSACTION_NOT_RESOLVABLE", "reversal"])
        assert.match(ofSale.message, /--as reversed .* --as stands/)
        yield* answer("transactions", "resolve", id, ...stands, ...first)
        yield* answer("transactions", "confirm", id, ...proposalFlag(1), ...secondUnasked)
        const none = yield* refusal("transactions", "resolve", id, ...reversed, ...first)
        assert.strictEqual(none.details.motivo, "no_reversal")
        const { company, ledger } = yield* companyOf("KIND-2")
        const { transactionId } = yield* reservedOrder(ledger, intentOf(company, "sale", 100))
        yield* makeOlder(company)
        const ofReversal = yield* refusal("transactions", "resolve", `${transactionId}`, ...reversed, ...first)
        assert.strictEqual(ofReversal.details.motivo, "unsettled")
        assert.match(ofReversal.message, /--as success or --as failed/)
      }).pipe(Effect.scoped)
  )

  it.effect("is accepted for a sale that two operators resolved before", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { company, ledger } = yield* companyOf("TWICE")
      const sale = { ...intentOf(company, "sale", 100), environment: "production" as const, reversible: true }
      const order = yield* reservedOrder(ledger, sale)
      const id = `${order.transactionId}`
      yield* makeOlder(company)
      yield* answer("transactions", "resolve", id, ...success, ...first)
      yield* answer("transactions", "confirm", id, ...proposalFlag(1), ...secondUnasked)
      yield* unansweredAgain(order, "reversal")
      yield* makeOlder(company)
      const early = yield* refusal("transactions", "confirm", id, ...proposalFlag(1), ...secondUnasked)
      assert.strictEqual(
        early.details.motivo,
        "reversal",
        "the confirmation of the sale does not apply to its reversal"
      )
      const proposed = yield* answer("transactions", "resolve", id, ...reversed, ...first)
      assert.strictEqual(proposed.propuesta, 2)
      const confirmed = yield* answer("transactions", "confirm", id, ...proposalFlag(2), ...secondUnasked)
      assert.strictEqual(confirmed.status, "REVERSED")
      assert.deepStrictEqual(yield* moneyOf(company), givenBack)
    }).pipe(Effect.scoped)
  )

  it.effect("settles no later reversal of the sale, and does not prevent a new proposal", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { company, id, order } = yield* unresolvedReversal("AGAIN")
      yield* answer("transactions", "resolve", id, ...stands, ...first)
      yield* answer("transactions", "confirm", id, ...proposalFlag(1), ...secondUnasked)
      yield* unansweredAgain(order, "another")
      yield* makeOlder(company)
      const { details } = yield* refusal("transactions", "confirm", id, ...proposalFlag(1), ...secondUnasked)
      assert.strictEqual(details.motivo, "outdated")
      yield* answer("transactions", "resolve", id, ...reversed, ...first)
      yield* answer("transactions", "confirm", id, ...proposalFlag(2), ...secondUnasked)
      assert.deepStrictEqual(yield* moneyOf(company), givenBack)
    }).pipe(Effect.scoped)
  )

  it.effect("accepts no delivery details", () =>
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
