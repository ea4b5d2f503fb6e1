import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import { quoteLife } from "../../../core/domain/Insurance.ts"
import { Verdict } from "../../../core/domain/Sale.ts"
import type { BuyerStep } from "../../../core/ports/Insurances.ts"
import { atOnce, inRounds, onItsOwn, racers, racing, tagsOf } from "../../support/Concurrency.ts"
import { TestDatabase, violatedInvariants } from "../../support/Database.ts"
import { plan, quotedEvent, quotedInsurance, version } from "../../support/InsuranceExample.ts"
import { insuranceIntent, insurancesReplica, opened, replica, reservedOrder } from "../../support/SalesOnPostgres.ts"

const centavos = 10_000

const insurers = racing(insurancesReplica)
const ledgers = racing(replica)

/** The company's balance, its only insurance and the sale of that insurance. */
const stateOf = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<Record<string, unknown>>`
    select
      b.available::int as available,
      b.held::int as held,
      g.state,
      g.quote_total::int as quote,
      (select t.status from cell.transaction as t where t.company_id = b.company_id and t.id = g.transaction_id) as sale,
      (select count(*)::int from cell.transaction as t where t.company_id = b.company_id) as sales
    from cell.balance as b
    join cell.insurance as g on g.company_id = b.company_id
    where b.company_id = ${company}`
  return row
})

const replanned: BuyerStep = { event: "plan_chosen", version, plan: { ...plan, code: "LEY-6" }, extras: [] }

const TestLayer = AuditPostgres.layer.pipe(Layer.provideMerge(TestDatabase))

layer(TestLayer, { excludeTestServices: true, timeout: "2 minutes" })("an insurance", (it) => {
  it.effect("is sold once by eight concurrent sales with eight keys", () =>
    Effect.gen(function* () {
      const all = yield* ledgers
      const insurances = yield* insurancesReplica
      yield* inRounds({ count: 300, first: 1 }, (company) =>
        Effect.gen(function* () {
          yield* opened(all[0], company, 100_000)
          const insurance = yield* quotedInsurance(insurances, company, centavos)
          const tags = tagsOf(
            yield* atOnce(all.map((ledger, racer) => ledger.reserve(insuranceIntent(insurance, `sale ${racer}`))))
          )
          const expected = [...Arr.makeBy(racers - 1, () => "QuoteChanged"), "done"]
          assert.deepStrictEqual(tags, expected, `round ${company}`)
          assert.deepStrictEqual(yield* stateOf(company), {
            available: 90_000,
            held: centavos,
            state: "cobrando",
            quote: centavos,
            sale: "PROCESSING",
            sales: 1
          })
        })
      )
      assert.deepStrictEqual(yield* violatedInvariants, [])
    }).pipe(Effect.scoped)
  )

  // The buyer's choice during the sale, the insurance afterwards if the choice is stored first, and the first company id
  // of the rounds.
  it.effect.each([
    ["another quote", quotedEvent(centavos + 1, "COT-2"), { state: "cotizado", quote: centavos + 1 }, 1_001],
    ["another plan", Effect.succeed(replanned), { state: "plan_confirmado", quote: null }, 1_501]
  ] as const)("is sold at its quote or not at all, when the buyer concurrently chooses %s", ([, choice, left, first]) =>
    Effect.gen(function* () {
      const ledger = yield* onItsOwn(replica)
      const insurances = yield* insurancesReplica
      yield* inRounds({ count: 200, first }, (company) =>
        Effect.gen(function* () {
          yield* opened(ledger, company, 100_000)
          const insurance = yield* quotedInsurance(insurances, company, centavos)
          const step: BuyerStep = yield* choice
          const results = yield* Effect.all(
            [
              Effect.result(ledger.reserve(insuranceIntent(insurance, "key"))),
              Effect.result(insurances.advance(insurance.companyId, insurance.id, step))
            ],
            { concurrency: "unbounded" }
          )
          const [sale, chosen] = results.flatMap((result) => tagsOf([result]))
          const state = yield* stateOf(company)
          if (sale === "done") {
            assert.strictEqual(chosen, "StepOutOfOrder", `round ${company}`)
            assert.deepInclude(state, {
              available: 90_000,
              held: centavos,
              state: "cobrando",
              quote: centavos,
              sales: 1
            })
          } else {
            assert.deepStrictEqual([sale, chosen], ["QuoteChanged", "done"], `round ${company}`)
            assert.deepInclude(state, { available: 100_000, held: 0, ...left, sales: 0 })
          }
        })
      )
      assert.deepStrictEqual(yield* violatedInvariants, [])
    }).pipe(Effect.scoped)
  )

  // Milliseconds before the quote expires, and the result of the reservation.
  it.effect.each([
    [1, "done"],
    [0, "QuoteChanged"]
  ] as const)("is reserved %i ms before its quote expires with the result %s", ([early_ms, expected]) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-03-04T15:00:00.000Z"))
      const company = 3_001 + early_ms
      const ledger = yield* onItsOwn(replica)
      yield* opened(ledger, company, 100_000)
      const insurance = yield* quotedInsurance(yield* insurancesReplica, company, centavos)
      yield* TestClock.adjust(Duration.subtract(quoteLife, Duration.millis(early_ms)))
      const reserved = yield* Effect.result(ledger.reserve(insuranceIntent(insurance, "key")))
      assert.deepStrictEqual(tagsOf([reserved]), [expected])
    }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
  )

  it.effect("is issued by at most one process, and by no process after recovery has settled its sale", () =>
    Effect.gen(function* () {
      const ledger = yield* onItsOwn(replica)
      const all = yield* insurers
      yield* inRounds({ count: 100, first: 2_001 }, (company) =>
        Effect.gen(function* () {
          yield* opened(ledger, company, 100_000)
          const insurance = yield* quotedInsurance(all[0], company, centavos)
          const order = yield* reservedOrder(ledger, insuranceIntent(insurance, "key"))
          const verdict = company % 2 === 0 ? Verdict.Hold() : Verdict.Release({ refusal: "SEGURO_NO_EMITIDO" })
          const settling = Effect.flatMap(DateTime.now, (at) => ledger.settle({ order, verdict, at, notFound: 0 }))
          const [asked] = yield* Effect.all(
            [
              Effect.all(
                all.map((insurances) => insurances.beginIssue(order)),
                { concurrency: "unbounded" }
              ),
              settling
            ],
            { concurrency: "unbounded" }
          )
          assert.isAtMost(asked.filter((begun) => begun).length, 1, `round ${company}`)
          assert.isFalse(yield* all[0].beginIssue(order))
          assert.deepInclude(yield* stateOf(company), { state: company % 2 === 0 ? "emitiendo" : "fallida" })
        })
      )
      assert.deepStrictEqual(yield* violatedInvariants, [])
    }).pipe(Effect.scoped)
  )
})
