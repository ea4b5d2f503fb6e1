import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import fc from "fast-check"
import * as AllTransactionsPostgres from "../../adapters/postgres/AllTransactionsPostgres.ts"
import * as AuditPostgres from "../../adapters/postgres/AuditPostgres.ts"
import * as TransactionsPostgres from "../../adapters/postgres/TransactionsPostgres.ts"
import { CompanyId } from "../../core/domain/Ids.ts"
import type { Status } from "../../core/domain/Status.ts"
import type { TransactionFilter } from "../../core/domain/Transaction.ts"
import { AllTransactions } from "../../core/ports/AllTransactions.ts"
import { Audit } from "../../core/ports/Audit.ts"
import { Transactions } from "../../core/ports/Transactions.ts"
import { TestDatabase } from "../support/Database.ts"

const TestLayer = Layer.mergeAll(TransactionsPostgres.layer, AllTransactionsPostgres.layer, AuditPostgres.layer).pipe(
  Layer.provideMerge(TestDatabase)
)

const statuses = ["PROCESSING", "PENDING", "SUCCESS", "FAILED", "REVERSED"] as const
const sales = 3_000
const days = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"]

/** Sales of two companies that come in parts, not always in order, and settle in parts. */
const history = fc.record({
  parts: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], { minLength: 6 }),
  settled: fc.array(fc.record({ from: fc.integer({ min: 1, max: sales }), count: fc.integer({ min: 1, max: 900 }) }), {
    maxLength: 4
  })
})

const filter: fc.Arbitrary<TransactionFilter> = fc.record(
  { status: fc.constantFrom<Status>(...statuses), from: fc.constantFrom(...days), to: fc.constantFrom(...days) },
  { requiredKeys: [] }
)

const page = fc.record({
  page: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constant(1_000_000)),
  perPage: fc.integer({ min: 1, max: 200 })
})

const asking = fc.array(fc.tuple(filter, page), { minLength: 12, maxLength: 12 })

/** The part of the ids, 250 of each, that begin to be sold in the middle of a day and go on over three. */
const sell = (companies: ReadonlyArray<number>, part: number) => `
  insert into cell.transaction (
    company_id, id, xid, idempotency_key, status, environment, service_id, service_name, service_type, identifier, amount,
    reversible, day, created_at
  )
  select c, n, 'x-' || n, 'k-' || n, case when n % 7 = 0 then 'PENDING' else 'PROCESSING' end, 'development', 1, 's', 'generic',
    'iii', 100, false, '2026-01-01', timestamptz '2026-01-01 16:00Z' + n * interval '80 seconds'
  from generate_series(${part * 250 + 1}, ${part * 250 + 250}) as n, unnest(array[${companies}]) as c`

const settle = (companies: ReadonlyArray<number>, from: number, count: number) => `
  update cell.transaction
  set status = case id % 3 when 0 then 'FAILED' when 1 then 'SUCCESS' else 'PENDING' end,
    processed_at = case when id % 3 < 2 then created_at end,
    auth_code = case when id % 3 = 1 then 'a' end
  where company_id = any (array[${companies}])
    and id between ${from} and ${from + count}
    and status in ('PROCESSING', 'PENDING')`

const reverse = (companies: ReadonlyArray<number>) => `
  update cell.transaction
  set status = 'REVERSED'
  where company_id = any (array[${companies}]) and id % 11 = 0 and status = 'SUCCESS'`

/** The page as a plain query has it. */
const plainly = Effect.fnUntraced(function* (
  company: number,
  { from = "0001-01-01", status, to = "9999-01-01" }: TransactionFilter,
  { page, perPage }: { readonly page: number; readonly perPage: number }
) {
  const sql = yield* PgClient.PgClient
  const found = yield* sql<{ id: bigint }>`
    select id
    from cell.transaction
    where company_id = ${company}
      and (created_at - interval '4 hours')::date between ${from}::date and ${to}::date
      and status like ${status ?? "%"}
    order by id desc`
  const ids = found.map(({ id }) => Number(id))
  return { ids: ids.slice((page - 1) * perPage, page * perPage), total: ids.length }
}, Effect.orDie)

const askingAll = fc.array(fc.tuple(fc.subarray([...statuses], { minLength: 1 }), page), { minLength: 6, maxLength: 6 })

/** The page of all companies as a plain query has it; every status is no condition. */
const plainlyOfAll = Effect.fnUntraced(function* (
  some: ReadonlyArray<Status>,
  { page, perPage }: { readonly page: number; readonly perPage: number }
) {
  const sql = yield* PgClient.PgClient
  const found = yield* sql<{ company_id: bigint; id: bigint }>`
    select company_id, id from cell.transaction where status in ${sql.in(some)} order by id desc, company_id`
  const ids = found.slice((page - 1) * perPage, page * perPage).map(({ company_id, id }) => `${company_id} ${id}`)
  return { ids, total: found.length }
}, Effect.orDie)

const sellThese = (company: number, ids: ReadonlyArray<number>) => `
  insert into cell.transaction (
    company_id, id, xid, idempotency_key, status, environment, service_id, service_name, service_type, identifier, amount,
    reversible, day, created_at
  )
  select ${company}, n, 'x-' || n, 'k-' || n, 'PROCESSING', 'development', 1, 's', 'generic', 'iii', 100, false,
    '2026-01-01', timestamptz '2026-01-01 16:00Z' + n * interval '80 seconds'
  from unnest(array[${ids}]) as n`

layer(TestLayer, { excludeTestServices: true })("lists that are counted in blocks", (it) => {
  let companies = 0

  // Two groups that drew their ids by turns: the second has some below the last id of the newest block and some beyond it.
  it.effect("take sales from both sides of the newest block's end at once", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const company = ++companies
      for (const ids of [
        [2, 4, 6],
        [3, 5, 7],
        [1, 8]
      ])
        yield* sql.unsafe(sellThese(company, ids)).unprepared
      const blocks = yield* sql<{ first: number; last: number; members: number }>`
        select first_id::int as first, last_id::int as last, members from cell.block where company_id = ${company} order by 1`
      assert.deepStrictEqual(blocks, [
        { first: 1, last: 1, members: 1 },
        { first: 2, last: 8, members: 7 }
      ])
    })
  )

  it.effect("show what is there, in whatever order it came", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const transactions = yield* Transactions
      const everybodys = yield* AllTransactions
      const run = (statement: string) => Effect.orDie(sql.unsafe(statement).unprepared)
      const context = yield* Effect.context<PgClient.PgClient>()
      const holds = Effect.fnUntraced(function* (
        { parts, settled }: { parts: Array<number>; settled: Array<{ from: number; count: number }> },
        questions: ReadonlyArray<readonly [TransactionFilter, { page: number; perPage: number }]>,
        questionsOfAll: ReadonlyArray<readonly [ReadonlyArray<Status>, { page: number; perPage: number }]>
      ) {
        const pair = [++companies, ++companies]
        for (const part of parts) yield* run(sell(pair, part))
        for (const { count, from } of settled) yield* run(settle(pair, from, count))
        yield* run(reverse(pair))
        for (const [filter, page] of questions) {
          const { items, total } = yield* transactions.list(CompanyId.make(companies), filter, page)
          assert.deepStrictEqual(
            { ids: items.map(({ id }) => Number(id)), total },
            yield* plainly(companies, filter, page)
          )
        }
        for (const [some, page] of questionsOfAll) {
          const all = some.length === statuses.length
          const { items, total } = yield* everybodys.list({ statuses: all ? undefined : some }, page)
          const ids = items.map(({ companyId, transaction }) => `${companyId} ${transaction.id}`)
          assert.deepStrictEqual({ ids, total }, yield* plainlyOfAll(some, page))
        }
      })
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(history, asking, askingAll, (past, questions, questionsOfAll) =>
            Effect.runPromiseWith(context)(holds(past, questions, questionsOfAll))
          ),
          { numRuns: 12 }
        )
      )
      const findings = yield* Audit.use(({ prove }) => prove)
      assert.deepInclude(
        findings.map(({ invariant, violations }) => ({ invariant, violations })),
        { invariant: "listed", violations: 0 }
      )
    })
  )
})
