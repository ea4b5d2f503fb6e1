import { PgClient } from "@effect/sql-pg"
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
  stands,
  success,
  unresolvedReversal
} from "../support/UnresolvedReversal.ts"

layer(CommandLine.layer, { excludeTestServices: true })("a reversal that no provider settles", (it) => {
  // What is proposed -> how the reversal ends, the sale stands, and the money.
  it.effect.each([
    ["CONFIRMED", "REVERSED", reversed, givenBack],
    ["DENIED", "SUCCESS", stands, charged]
  ] as const)("is %s, and its sale %s, once another operator confirms it", ([anulacion, status, proposal, left]) =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { company, id } = yield* unresolvedReversal(`END-${status}`)
      yield* answer("transactions", "resolve", id, ...proposal, ...first)
      assert.deepStrictEqual(yield* moneyOf(company), charged, "a proposal moves nothing")
      const own = yield* refusal("transactions", "confirm", id, ...proposalFlag(1), ...first)
      assert.deepStrictEqual([own.code, own.details.motivo], ["RESOLUTION_NOT_CONFIRMABLE", "same_operator"])
      const confirmed = yield* answer("transactions", "confirm", id, ...proposalFlag(1), ...second)
      assert.deepInclude(confirmed, { resultado: proposal[1], status, anulacion })
      assert.deepStrictEqual(yield* moneyOf(company), left)
      assert.isTrue((yield* answer("audit")).ok)
      const again = yield* refusal("transactions", "confirm", id, ...proposalFlag(1), ...second)
      assert.deepStrictEqual([again.code, again.details.motivo], ["TRANSACTION_NOT_RESOLVABLE", "no_reversal"])
      assert.deepStrictEqual(yield* moneyOf(company), left)
      const sql = yield* PgClient.PgClient
      const [key] = yield* sql`
        select outcome ->> '_tag' as outcome, settled_at is not null as settled
        from cell.idempotency
        where company_id = ${company} and key = 'reversal'`
      assert.deepStrictEqual(key, { outcome: "Pending", settled: true }, "as after a provider's late answer")
    })
  )

  it.effect("is told by the history of its sale, with who proposed and who confirmed", () =>
    Effect.gen(function* () {
      const { answer, run } = yield* CommandLine
      const { id } = yield* unresolvedReversal("TOLD")
      yield* answer("transactions", "resolve", id, ...reversed, ...first)
      yield* answer("transactions", "confirm", id, ...proposalFlag(1), ...second)
      const { historia } = yield* answer("transactions", "show", id)
      const told = historia
        .slice(-5)
        .map((each: { evento: string; por?: string; detalles?: { operator: string } }) => [
          each.evento,
          each.por ?? each.detalles?.operator ?? null
        ])
      assert.deepStrictEqual(told, [
        ["resolution_proposed", "turno-1"],
        ["resolution_agreed", "turno-2"],
        ["reversal_ended", "operator"],
        ["entered", null],
        ["resolution_confirmed", "turno-2"]
      ])
      const settled = historia.find(({ evento }: { evento: string }) => evento === "settled")
      assert.strictEqual(settled.por, "call", "how the sale itself ended, its provider had said")
      const { stdout } = yield* run("transactions", "show", id)
      assert.match(stdout, /reversal RV-\S+ ended by two operators: CONFIRMED/)
    })
  )

  // What the simulator says of the identifier's reversal, against what was proposed.
  it.effect.each([
    ["Denied", "8095550193", reversed],
    ["Confirmed", "8095550194", stands]
  ] as const)("is not settled where the provider firmly says %s", ([said, identifier, proposal]) =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { company, id } = yield* unresolvedReversal(`SAID-${said}`, identifier)
      yield* answer("transactions", "resolve", id, ...proposal, ...first)
      const { code, details, message } = yield* refusal("transactions", "confirm", id, ...proposalFlag(1), ...second)
      assert.deepStrictEqual([code, details.proveedor], ["SUPPLIER_DISAGREES", said])
      assert.include(message, `the reversal of transaction ${id}`)
      assert.deepStrictEqual(yield* moneyOf(company), charged)
    })
  )

  it.effect("is settled once by operators who confirm it at once", () =>
    Effect.gen(function* () {
      const { answer, run } = yield* CommandLine
      const { company, id } = yield* unresolvedReversal("AT-ONCE")
      yield* answer("transactions", "resolve", id, ...reversed, ...first)
      const confirming = ["turno-2", "turno-3", "turno-4"].map((who) =>
        run("transactions", "confirm", id, ...proposalFlag(1), "--operador", who, "--sin-preguntar")
      )
      const codes = (yield* Effect.all(confirming, { concurrency: "unbounded" })).map(({ code }) => code)
      assert.include(codes, 0)
      assert.deepStrictEqual(yield* moneyOf(company), givenBack)
      const sql = yield* PgClient.PgClient
      const won = yield* sql`
        select 1
        from directory.audit_event
        where company_id = ${company} and action = 'resolution_confirmed' and (details ->> 'won')::boolean`
      assert.lengthOf(won, 1)
    })
  )

  it.effect("is not settled where nobody could be asked, unless whoever confirms it says so", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { company, id } = yield* unresolvedReversal("UNASKED")
      yield* answer("transactions", "resolve", id, ...reversed, ...first)
      const { code, details, message } = yield* refusal(
        "transactions",
        "confirm",
        id,
        ...proposalFlag(1),
        "--operador",
        "turno-2"
      )
      assert.strictEqual(code, "RESOLUTION_NOT_CONFIRMABLE")
      assert.strictEqual(details.motivo, "not_asked")
      assert.match(message, /--sin-preguntar/)
      assert.deepStrictEqual(yield* moneyOf(company), charged)
      yield* answer("transactions", "confirm", id, ...proposalFlag(1), ...second)
      assert.deepStrictEqual(yield* moneyOf(company), givenBack)
    })
  )

  it.effect("is left alone while its own call may still be under way", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { company, id } = yield* unresolvedReversal("YOUNG")
      const sql = yield* PgClient.PgClient
      yield* sql`update cell.reversal set created_at = created_at + interval '6 minutes' where company_id = ${company}`
      const { details, message } = yield* refusal("transactions", "resolve", id, ...reversed, ...first)
      assert.strictEqual(details.motivo, "young_reversal")
      assert.match(message, /reversal of transaction/)
    })
  )
})

layer(CommandLine.layer, { excludeTestServices: true })("a proposal about a reversal", (it) => {
  it.effect("is not settled by what was found of a sale, nor a sale by what was found of a reversal", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { id } = yield* unresolvedReversal("KIND")
      const ofSale = yield* refusal("transactions", "resolve", id, ...failed, ...first)
      assert.deepStrictEqual([ofSale.code, ofSale.details.motivo], ["TRANSACTION_NOT_RESOLVABLE", "reversal"])
      assert.match(ofSale.message, /--as reversed .* --as stands/)
      yield* answer("transactions", "resolve", id, ...stands, ...first)
      yield* answer("transactions", "confirm", id, ...proposalFlag(1), ...second)
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

  it.effect("may be one of a sale that two operators had settled themselves", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { company, ledger } = yield* companyOf("TWICE")
      const sale = { ...intentOf(company, "sale", 100), environment: "production" as const, reversible: true }
      const order = yield* reservedOrder(ledger, sale)
      const id = `${order.transactionId}`
      yield* makeOlder(company)
      yield* answer("transactions", "resolve", id, ...success, ...first)
      yield* answer("transactions", "confirm", id, ...proposalFlag(1), ...second)
      yield* unansweredAgain(order, "reversal")
      yield* makeOlder(company)
      const early = yield* refusal("transactions", "confirm", id, ...proposalFlag(1), ...second)
      assert.strictEqual(early.details.motivo, "reversal", "what was confirmed of the sale is not of its reversal")
      const proposed = yield* answer("transactions", "resolve", id, ...reversed, ...first)
      assert.strictEqual(proposed.propuesta, 2)
      const confirmed = yield* answer("transactions", "confirm", id, ...proposalFlag(2), ...second)
      assert.strictEqual(confirmed.status, "REVERSED")
      assert.deepStrictEqual(yield* moneyOf(company), givenBack)
    }).pipe(Effect.scoped)
  )

  it.effect("is not settled by a proposal of an earlier one, nor kept from a new one by that", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { company, id, order } = yield* unresolvedReversal("AGAIN")
      yield* answer("transactions", "resolve", id, ...stands, ...first)
      yield* answer("transactions", "confirm", id, ...proposalFlag(1), ...second)
      yield* unansweredAgain(order, "another")
      yield* makeOlder(company)
      const { details } = yield* refusal("transactions", "confirm", id, ...proposalFlag(1), ...second)
      assert.strictEqual(details.motivo, "outdated")
      yield* answer("transactions", "resolve", id, ...reversed, ...first)
      yield* answer("transactions", "confirm", id, ...proposalFlag(2), ...second)
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
