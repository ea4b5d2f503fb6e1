import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect, Layer } from "effect"
import fc from "fast-check"
import * as AllTransactionsPostgres from "../../../adapters/postgres/reads/AllTransactionsPostgres.ts"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import * as TransactionsPostgres from "../../../adapters/postgres/reads/TransactionsPostgres.ts"
import { CompanyId, IdempotencyKey } from "../../../core/domain/Ids.ts"
import type { Status } from "../../../core/domain/Status.ts"
import type { TransactionFilter } from "../../../core/domain/Transaction.ts"
import { Audit } from "../../../core/ports/Audit.ts"
import { AllTransactions, Transactions } from "../../../core/ports/Transactions.ts"
import { TestDatabase, violatedInvariants } from "../../support/Database.ts"
import { setBlockLength } from "../../support/SalesHistory.ts"

/** Sales in one batch. */
const group = 5
const groups = 14

/** Time of a batch. All batches fall on three days. */
const at = (n: number) => `timestamptz '2026-01-01 16:00Z' + ${n} * interval '5 hours'`

/** Reserves the sales of batch `n`. Their ids depend on `n` only, so a late batch has lower ids than an earlier one. */
const reserve = (companies: ReadonlyArray<number>, first: number, n: number) => [
  `select setval('cell.transaction_id', ${first + n * group * companies.length}, false)`,
  `select count(*) from cell.reserve(
    (
      select jsonb_agg(jsonb_build_object(
        'n', ${group} * c + n, 'company_id', c, 'key', 'k-${n}-' || n, 'owner', gen_random_uuid(), 'fingerprint', '00',
        'xid', 'x-${n}-' || n, 'environment', 'development', 'service_id', 1, 'service_name', 's', 'service_type', 'generic',
        'identifier', 'iii', 'amount', 100, 'reversible', true
      ))
      from unnest(array[${companies}]) as c, generate_series(1, ${group}) as n
    ),
    ${at(n)}, '2026-01-01', '2026-01-01', '2026-01-01', ${at(n)}, 'epoch', 'epoch'
  )`
]

/**
 * Settles the unsettled sales in a range of ids. By id, one third is delivered, one third refused and one third held.
 */
const settle = (companies: ReadonlyArray<number>, from: number, count: number) => [
  `select count(*) from cell.settle(
    (
      select coalesce(jsonb_agg(jsonb_build_object(
        'n', id, 'company_id', company_id, 'transaction_id', id, 'at', created_at, 'outcome', jsonb_build_object(),
        'not_found', 0, 'verdict', case id % 3 when 0 then 'Confirm' when 1 then 'Release' else 'Hold' end,
        'auth_code', case id % 3 when 0 then 'a' end
      )), '[]')
      from cell.transaction
      where company_id = any (array[${companies}])
        and status in ('PROCESSING', 'PENDING')
        and id between ${from} and ${from + count}
    )
  )`
]

/** Reverses half of the delivered sales. */
const reverse = (companies: ReadonlyArray<number>) => [
  `select cell.settle_reversal(
    s.company_id, (s.begun ->> 'id')::bigint, 'Confirm', jsonb_build_object(), timestamptz '2026-01-05', null, 0
  )
  from (
    select
      company_id,
      cell.begin_reversal(
        company_id, id, 'r-' || id, gen_random_uuid(), '', 'r-' || id, timestamptz '2026-01-05', null, 'epoch', 'epoch'
      ) as begun
    from cell.transaction
    where company_id = any (array[${companies}]) and id % 6 = 0 and status = 'SUCCESS'
    offset 0
  ) as s`
]

/** Deposits money for the sales. */
const money = (companies: ReadonlyArray<number>) => [
  `select count(*)
  from unnest(array[${companies}]) as c
  cross join lateral cell.deposit(c, 1000000, 9007199254740991, 'apertura', '2026-01-01')`
]

const TestLayer = Layer.mergeAll(TransactionsPostgres.layer, AllTransactionsPostgres.layer, AuditPostgres.layer).pipe(
  Layer.provideMerge(TestDatabase)
)

const statuses = ["PROCESSING", "PENDING", "SUCCESS", "FAILED", "REVERSED"] as const
const days = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"]

const blockLength = 6

/** Batches of sales of two companies, not always in the order of their ids, and ranges of ids to settle. */
const history = fc.record({
  groups: fc.shuffledSubarray(Arr.range(0, groups - 1), { minLength: 8 }),
  settled: fc.array(fc.record({ from: fc.nat(group * groups), count: fc.integer({ min: 1, max: 30 }) }), {
    maxLength: 4
  })
})

const filter: fc.Arbitrary<TransactionFilter> = fc.record(
  { status: fc.constantFrom<Status>(...statuses), from: fc.constantFrom(...days), to: fc.constantFrom(...days) },
  { requiredKeys: [] }
)

const page = fc.record({
  page: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(1_000_000)),
  perPage: fc.integer({ min: 1, max: 20 })
})

const asking = fc.array(fc.tuple(filter, page), { minLength: 12, maxLength: 12 })

/** A page of one company's sales, from a query that uses no blocks. */
const plainPage = Effect.fnUntraced(function* (
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

/** A page of all companies' sales, from a query that uses no blocks. */
const plainPageOfAll = Effect.fnUntraced(function* (
  some: ReadonlyArray<Status>,
  { page, perPage }: { readonly page: number; readonly perPage: number }
) {
  const sql = yield* PgClient.PgClient
  const found = yield* sql<{ company_id: bigint; id: bigint }>`
    select company_id, id from cell.transaction where status in ${sql.in(some)} order by id desc, company_id`
  const ids = found.slice((page - 1) * perPage, page * perPage).map(({ company_id, id }) => `${company_id} ${id}`)
  return { ids, total: found.length }
}, Effect.orDie)

layer(TestLayer, { excludeTestServices: true })("blocks of sales and entries", (it) => {
  let companies = 0
  let ids = 1

  const run = Effect.fnUntraced(function* (statements: ReadonlyArray<string>) {
    const sql = yield* PgClient.PgClient
    for (const statement of statements) yield* sql.unsafe(statement).unprepared
  }, Effect.orDie)

  const isListed = (company: number) =>
    Effect.map(
      Audit.use(({ prove }) => prove),
      (examined) =>
        examined
          .find(({ invariant }) => invariant === "listed")
          ?.offenders.every(({ company_id }) => Number(company_id) !== company)
    )

  const blocksOf = (company: number) =>
    PgClient.PgClient.use(
      (sql) => sql`
        select list, first_id::int as first, last_id::int as last, members
        from cell.block
        where company_id = ${company}
        order by list desc, first_id`
    )

  /** Reserves a range of ids for the batches of these companies. Returns the first id. */
  const roomFor = (companies: number) => {
    const first = ids
    ids += companies * group * groups
    return first
  }

  it.effect("include sales that are reserved after sales with higher ids", () =>
    Effect.gen(function* () {
      const company = ++companies
      const first = roomFor(1)
      yield* setBlockLength(blockLength)
      yield* run(money([company]))
      for (const n of [2, 1, 4, 3, 0]) yield* run(reserve([company], first, n))
      assert.deepStrictEqual(yield* blocksOf(company), [
        { list: "sale", first, last: first + 10, members: 11 },
        { list: "sale", first: first + 11, last: first + 21, members: 11 }
      ])
    })
  )

  it.effect("are created by the sale or entry that completes them", () =>
    Effect.gen(function* () {
      const company = ++companies
      const first = roomFor(1)
      const made = Effect.map(blocksOf(company), (blocks) => blocks.map(({ list, members }) => [list, members]))
      const confirm = (from: number, to: number) => [
        `select count(*) from cell.settle(
          (
            select jsonb_agg(jsonb_build_object(
              'n', id, 'company_id', ${company}, 'transaction_id', id, 'at', now(), 'outcome', jsonb_build_object(),
              'not_found', 0, 'verdict', 'Confirm', 'auth_code', 'a'
            ))
            from generate_series(${first + from}, ${first + to}) as id
          )
        )`
      ]
      yield* setBlockLength(group)
      yield* run(money([company]))
      yield* run(reserve([company], first, 0))
      assert.deepStrictEqual(yield* made, [["sale", group]])
      // The deposit was the first entry.
      yield* run(confirm(0, group - 2))
      assert.deepStrictEqual(yield* made, [
        ["sale", group],
        ["entry", group]
      ])
      yield* run(confirm(group - 1, group - 1))
      assert.isTrue(yield* isListed(company))
    })
  )

  it.effect("with wrong counts do not prevent a settlement, and the audit reports them", () =>
    Effect.gen(function* () {
      const company = ++companies
      const first = roomFor(1)
      yield* setBlockLength(group)
      yield* run(money([company]))
      yield* run(reserve([company], first, 0))
      yield* run(settle([company], first, group))
      yield* run([`update cell.block set pending = 0, success = 0, failed = 0 where company_id = ${company}`])
      const sql = yield* PgClient.PgClient
      const [open] = yield* sql<{ id: bigint }>`
        select id from cell.transaction where company_id = ${company} and status = 'PENDING' limit 1`
      const id = Number(open?.id)
      yield* run([
        `select * from cell.settle(jsonb_build_array(jsonb_build_object(
          'n', 0, 'company_id', ${company}, 'transaction_id', ${id}, 'at', now(), 'outcome', jsonb_build_object(),
          'not_found', 0, 'verdict', 'Confirm', 'auth_code', 'a'
        )))`
      ])
      const settled = yield* sql`select status from cell.transaction where company_id = ${company} and id = ${id}`
      assert.deepStrictEqual(settled, [{ status: "SUCCESS" }])
      assert.isFalse(yield* isListed(company))
      yield* run([`select cell.list_anew(array[${company}])`])
      assert.isTrue(yield* isListed(company))
    })
  )

  it.effect("are not needed to find a sale by its key", () =>
    Effect.gen(function* () {
      const company = ++companies
      yield* run(money([company]))
      yield* run(reserve([company], roomFor(1), 0))
      const key = IdempotencyKey.make("k-0-3")
      const found = yield* Transactions.use(({ list }) =>
        list(CompanyId.make(company), { key }, { page: 1, perPage: 9 })
      )
      assert.deepStrictEqual([found.total, found.items.map(({ xid }) => xid)], [1, ["x-0-3"]])
    })
  )

  it.effect("give the same pages as plain queries, in whatever order the sales were made", () =>
    Effect.gen(function* () {
      const transactions = yield* Transactions
      const allTransactions = yield* AllTransactions
      yield* setBlockLength(blockLength)
      const context = yield* Effect.context<PgClient.PgClient>()
      const agrees = Effect.fnUntraced(function* (
        past: { groups: Array<number>; settled: Array<{ from: number; count: number }> },
        questions: ReadonlyArray<readonly [TransactionFilter, { page: number; perPage: number }]>,
        questionsOfAll: ReadonlyArray<readonly [ReadonlyArray<Status>, { page: number; perPage: number }]>
      ) {
        const pair = [++companies, ++companies]
        const first = roomFor(2)
        yield* run(money(pair))
        for (const n of past.groups) yield* run(reserve(pair, first, n))
        for (const { count, from } of past.settled) yield* run(settle(pair, first + 2 * from, 2 * count))
        yield* run(reverse(pair))
        for (const [filter, page] of questions) {
          const { items, total } = yield* transactions.list(CompanyId.make(companies), filter, page)
          assert.deepStrictEqual(
            { ids: items.map(({ id }) => Number(id)), total },
            yield* plainPage(companies, filter, page)
          )
        }
        for (const [some, page] of questionsOfAll) {
          const all = some.length === statuses.length
          const { items, total } = yield* allTransactions.list({ statuses: all ? undefined : some }, page)
          const ids = items.map(({ companyId, transaction }) => `${companyId} ${transaction.id}`)
          assert.deepStrictEqual({ ids, total }, yield* plainPageOfAll(some, page))
        }
      })
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(history, asking, askingAll, (past, questions, questionsOfAll) =>
            Effect.runPromiseWith(context)(agrees(past, questions, questionsOfAll))
          ),
          { numRuns: 30 }
        )
      )
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )
})
