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
  secondUnasked,
  stands,
  success,
  unresolvedReversal
} from "../support/Resolutions.ts"

layer(CommandLine.layer, { excludeTestServices: true })("a reversal without an answer from its provider", (it) => {
  // Proposed outcome -> status of the reversal, status of the sale, and the money.
  it.effect.each([
    ["CONFIRMED", "REVERSED", reversed, givenBack],
    ["DENIED", "SUCCESS", stands, charged]
  ] as const)(
    "becomes %s and its sale %s once a second operator confirms the proposal",
    ([anulacion, status, proposal, left]) =>
      Effect.gen(function* () {
        const { answer, refusal } = yield* CommandLine
        const { company, id } = yield* unresolvedReversal(`END-${status}`)
        yield* answer("transactions", "resolve", id, ...proposal, ...first)
        assert.deepStrictEqual(yield* moneyOf(company), charged, "a proposal moves nothing")
        const own = yield* refusal("transactions", "confirm", id, ...proposalFlag(1), ...first)
        assert.deepStrictEqual([own.code, own.details.motivo], ["RESOLUTION_NOT_CONFIRMABLE", "same_operator"])
        const confirmed = yield* answer("transactions", "confirm", id, ...proposalFlag(1), ...secondUnasked)
        assert.deepInclude(confirmed, { resultado: proposal[1], status, anulacion })
        assert.deepStrictEqual(yield* moneyOf(company), left)
        assert.isTrue((yield* answer("audit")).ok)
        const again = yield* refusal("transactions", "confirm", id, ...proposalFlag(1), ...secondUnasked)
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
      assert.strictEqual(settled.por, "call", "how the sale itself ended, its provider had said")
      const { stdout } = yield* run("transactions", "show", id)
      assert.match(stdout, /reversal RV-\S+ ended by two operators: CONFIRMED/)
    })
  )

  // The simulator's answer about the reversal, the identifier that causes it, and the contradicting proposal.
  it.effect.each([
    ["Denied", "8095550193", reversed],
    ["Confirmed", "8095550194", stands]
  ] as const)("is not settled against the provider's definite answer %s", ([said, identifier, proposal]) =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { company, id } = yield* unresolvedReversal(`SAID-${said}`, identifier)
      yield* answer("transactions", "resolve", id, ...proposal, ...first)
      const { code, details, message } = yield* refusal(
        "transactions",
        "confirm",
        id,
        ...proposalFlag(1),
        ...secondUnasked
      )
      assert.deepStrictEqual([code, details.proveedor], ["SUPPLIER_DISAGREES", said])
      assert.include(message, `the reversal of transaction ${id}`)
      assert.deepStrictEqual(yield* moneyOf(company), charged)
    })
  )

  it.effect("is settled once when several operators confirm it concurrently", () =>
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

  it.effect("cannot be resolved while its own request may still be running", () =>
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

layer(CommandLine.layer, { excludeTestServices: true })("a proposal to resolve a reversal", (it) => {
  it.effect("is refused with an outcome of a sale, and a sale is not resolved with an outcome of a reversal", () =>
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
      assert.strictEqual(early.details.motivo, "reversal", "what was confirmed of the sale is not of its reversal")
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
