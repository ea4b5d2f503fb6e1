import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, Context, DateTime, Effect, Layer, Result } from "effect"
import * as AccountsPostgres from "../../../adapters/postgres/ledger/AccountsPostgres.ts"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { Amount } from "../../../core/domain/Money.ts"
import type { Intent } from "../../../core/domain/Sale.ts"
import { Adjustments } from "../../../core/ports/Accounts.ts"
import type { Ledger } from "../../../core/ports/Ledger.ts"
import { inRounds, onItsOwn, racers, racing } from "../../support/Concurrency.ts"
import { TestDatabase, violatedInvariants } from "../../support/Database.ts"
import { intentOf, opened, replica } from "../../support/SalesOnPostgres.ts"

const adjustmentRounds = 300
const goal = Amount.make(100_000)

const adjustments = Effect.map(Layer.build(Layer.fresh(AccountsPostgres.adjustmentsLayer)), (context) =>
  Context.get(context, Adjustments)
)

const TestLayer = AuditPostgres.layer.pipe(Layer.provideMerge(TestDatabase))

layer(TestLayer, { excludeTestServices: true, timeout: "2 minutes" })("eight concurrent adjustments", (it) => {
  it.effect("with one reference move the balance once, even during concurrent sales", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const all = yield* racing(adjustments)
      const ledger = yield* onItsOwn(replica)
      yield* inRounds({ count: adjustmentRounds, first: 1 }, (company) =>
        Effect.gen(function* () {
          const companyId = CompanyId.make(company)
          yield* opened(ledger, company, 20_000)
          const at = yield* DateTime.now
          const since = DateTime.add(at, { seconds: 1 })
          const sales = Arr.map(["a", "b"], (key) => ledger.reserve(intentOf(company, key, 5_000)))
          const adjusting = all.map(({ adjust }) => adjust({ companyId, goal, reference: "day", since, at }))
          const [moved] = yield* Effect.all(
            [Effect.all(adjusting, { concurrency: "unbounded" }), Effect.all(sales, { concurrency: "unbounded" })],
            { concurrency: "unbounded" }
          )
          // Up to two sales are reserved before the adjustment, which then also adds their amounts.
          const [once = 0, ...others] = moved.filter((centavos) => centavos !== null)
          assert.deepStrictEqual(others, [])
          assert.include([80_000, 85_000, 90_000], once)
          const [left] = yield* sql`
            select available::int, held::int from cell.balance where company_id = ${company}`
          assert.deepStrictEqual(left, { available: 20_000 + once - 10_000, held: 10_000 })
        })
      )
      assert.deepStrictEqual(yield* violatedInvariants, [])
    }).pipe(Effect.scoped)
  )
})

const rounds = 300

type Replica = Ledger["Service"]

const replicas = racing(replica)

/** Reserves one sale on each replica, concurrently. `keyOf` returns the key of a replica's sale. */
const race = (
  ledgers: ReadonlyArray<Replica>,
  company: number,
  keyOf: (racer: number) => string,
  changes: Partial<Intent> = {}
) =>
  Effect.forEach(
    ledgers,
    (ledger, racer) => Effect.result(ledger.reserve({ ...intentOf(company, keyOf(racer), 10_000), ...changes })),
    { concurrency: "unbounded" }
  )

const tagsOf = (results: ReadonlyArray<Result.Result<{ readonly _tag: string }, { readonly _tag: string }>>) =>
  results.map((result) => (Result.isSuccess(result) ? result.success._tag : result.failure._tag)).sort()

const expected = (winners: number, refusal: string) =>
  [...Arr.makeBy(winners, () => "Reservation"), ...Arr.makeBy(racers - winners, () => refusal)].sort()

/** The expected totals of a company after this number of reserved sales. */
const reservedOf = (sales: number, available: number) => ({
  available,
  held: sales * 10_000,
  consumed: sales * 10_000,
  sales,
  keys: sales
})

const counted = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ available: number; held: number; consumed: number; sales: number; keys: number }>`
    select
      b.available::int as available,
      b.held::int as held,
      coalesce((select sum(c.total) from cell.consumption as c where c.company_id = b.company_id), 0)::int as consumed,
      (select count(*) from cell.transaction as t where t.company_id = b.company_id)::int as sales,
      (select count(*) from cell.idempotency as r where r.company_id = b.company_id)::int as keys
    from cell.balance as b
    where b.company_id = ${company}`
  return row
})

layer(TestDatabase, { excludeTestServices: true, timeout: "2 minutes" })(
  "eight servers that reserve concurrently",
  (it) => {
    it.effect(
      "sell once for one idempotency key",
      () =>
        Effect.gen(function* () {
          const ledgers = yield* replicas
          yield* inRounds({ count: rounds, first: 1 }, (company) =>
            Effect.gen(function* () {
              yield* opened(ledgers[0], company, 100_000)
              const results = yield* race(ledgers, company, () => "same")
              assert.deepStrictEqual(tagsOf(results), expected(1, "RequestInProgress"), `round ${company}`)
              assert.deepStrictEqual(yield* counted(company), reservedOf(1, 90_000))
            })
          )
        }).pipe(Effect.scoped),
      120_000
    )

    it.effect(
      "sell no more than the balance allows",
      () =>
        Effect.gen(function* () {
          const ledgers = yield* replicas
          yield* inRounds({ count: rounds, first: 1001 }, (company) =>
            Effect.gen(function* () {
              const affordable = 1 + (company % (racers - 1))
              yield* opened(ledgers[0], company, affordable * 10_000 + 5_000)
              const results = yield* race(ledgers, company, (racer) => `sale ${racer}`)
              assert.deepStrictEqual(tagsOf(results), expected(affordable, "InsufficientBalance"), `round ${company}`)
              assert.deepStrictEqual(yield* counted(company), reservedOf(affordable, 5_000))
            })
          )
        }).pipe(Effect.scoped),
      120_000
    )

    it.effect(
      "sell no more than the limit allows",
      () =>
        Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          const ledgers = yield* replicas
          const periods = ["limit_daily", "limit_weekly", "limit_monthly"] as const
          yield* inRounds({ count: rounds, first: 2001 }, (company) =>
            Effect.gen(function* () {
              const allowed = 1 + (company % (racers - 1))
              yield* opened(ledgers[0], company, 1_000_000)
              yield* sql`
              update cell.balance
              set ${sql(periods[company % periods.length] as string)} = ${allowed * 10_000 + 9_999}
              where company_id = ${company}`
              const results = yield* race(ledgers, company, (racer) => `sale ${racer}`)
              assert.deepStrictEqual(tagsOf(results), expected(allowed, "LimitExceeded"), `round ${company}`)
              assert.deepStrictEqual(yield* counted(company), reservedOf(allowed, 1_000_000 - allowed * 10_000))
            })
          )
        }).pipe(Effect.scoped),
      120_000
    )

    it.effect(
      "pay a bill once",
      () =>
        Effect.gen(function* () {
          const ledgers = yield* replicas
          yield* inRounds({ count: rounds, first: 4001 }, (company) =>
            Effect.gen(function* () {
              yield* opened(ledgers[0], company, 100_000)
              const results = yield* race(ledgers, company, (racer) => `sale ${racer}`, { optionId: "b", billId: "b" })
              assert.deepStrictEqual(tagsOf(results), expected(1, "DuplicateTransaction"), `round ${company}`)
              assert.deepStrictEqual(yield* counted(company), reservedOf(1, 90_000))
            })
          )
        }).pipe(Effect.scoped),
      120_000
    )
  }
)
