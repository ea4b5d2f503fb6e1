import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect, Layer } from "effect"
import fc from "fast-check"
import * as AllTransactionsPostgres from "../../../adapters/postgres/reads/AllTransactionsPostgres.ts"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import * as TransactionsPostgres from "../../../adapters/postgres/reads/TransactionsPostgres.ts"
import { CompanyId, IdempotencyKey, ServiceId, TerminalId } from "../../../core/domain/Ids.ts"
import type { Status } from "../../../core/domain/Status.ts"
import type { TransactionFilter } from "../../../core/domain/Transaction.ts"
import { Audit } from "../../../core/ports/Audit.ts"
import { AllTransactions, Transactions } from "../../../core/ports/Transactions.ts"
import { TestDatabase, violatedInvariants } from "../../support/Database.ts"
import { forRandomValues } from "../../support/RandomValues.ts"
import { setBlockLength } from "../../support/SalesHistory.ts"
import { batchCount, batchSize, deposit, reserve, reverse, settle } from "./BatchStatements.ts"

const TestLayer = Layer.mergeAll(TransactionsPostgres.layer, AllTransactionsPostgres.layer, AuditPostgres.layer).pipe(
  Layer.provideMerge(TestDatabase)
)

const statuses = ["PROCESSING", "PENDING", "SUCCESS", "FAILED", "REVERSED"] as const
const days = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"]

// A block contains the counts of consecutive sales or entries, so that a list can skip these rows without reading them.
const blockLength = 6

/** Batches of sales of two companies, in any order of their ids, and ranges of ids to settle. */
const history = fc.record({
  batches: fc.shuffledSubarray(Arr.range(0, batchCount - 1), { minLength: 8 }),
  settled: fc.array(fc.record({ from: fc.nat(batchSize * batchCount), count: fc.integer({ min: 1, max: 30 }) }), {
    maxLength: 4
  })
})

/** A filter of a list. `upTo` is relative to the first id of the two companies. */
const filter: fc.Arbitrary<TransactionFilter> = fc.record(
  {
    status: fc.constantFrom<Status>(...statuses),
    from: fc.constantFrom(...days),
    to: fc.constantFrom(...days),
    upTo: fc.integer({ min: -1, max: 2 * batchSize * batchCount + 1 }),
    serviceId: fc.integer({ min: 1, max: 4 }).map((id) => ServiceId.make(id)),
    terminalId: fc.constantFrom("", "1", "caja 2", "service 1", "none").map((name) => TerminalId.make(name))
  },
  { requiredKeys: [] }
)

const page = fc.record({
  page: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(1_000_000)),
  perPage: fc.integer({ min: 1, max: 20 })
})

const asking = fc.array(fc.tuple(filter, page), { minLength: 12, maxLength: 12 })

/** A page of one company's sales, read without blocks. */
const plainPage = Effect.fnUntraced(function* (
  company: number,
  {
    from = "0001-01-01",
    serviceId,
    status,
    terminalId,
    to = "9999-01-01",
    upTo = Number.MAX_SAFE_INTEGER
  }: TransactionFilter,
  { page, perPage }: { readonly page: number; readonly perPage: number }
) {
  const sql = yield* PgClient.PgClient
  const found = yield* sql<{ id: bigint }>`
    select id
    from cell.transaction
    where company_id = ${company}
      and (created_at - interval '4 hours')::date between ${from}::date and ${to}::date
      and status like ${status ?? "%"}
      and id <= ${upTo}
      and (${serviceId === undefined} or service_id = ${serviceId ?? 0})
      and (${terminalId === undefined} or terminal_id = ${terminalId ?? ""})
    order by id desc`
  const [newest] = yield* sql<{ id: bigint }>`select max(id) as id from cell.transaction where company_id = ${company}`
  const ids = found.map(({ id }) => Number(id))
  return {
    ids: ids.slice((page - 1) * perPage, page * perPage),
    total: ids.length,
    upTo: Math.min(upTo, Number(newest?.id))
  }
}, Effect.orDie)

const askingAll = fc.array(fc.tuple(fc.subarray([...statuses], { minLength: 1 }), page), { minLength: 6, maxLength: 6 })

/** A page of all companies' sales, read without blocks. */
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
    ids += companies * batchSize * batchCount
    return first
  }

  it.effect("include sales that are reserved after sales with higher ids", () =>
    Effect.gen(function* () {
      const company = ++companies
      const first = roomFor(1)
      yield* setBlockLength(blockLength)
      yield* run(deposit([company]))
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
      yield* setBlockLength(blockLength)
      yield* run(deposit([company]))
      // The three newest sales are never in a block, so five sales are too few for a block.
      yield* run(reserve([company], first, 0))
      assert.deepStrictEqual(yield* made, [])
      yield* run(reserve([company], first, 1))
      assert.deepStrictEqual(yield* made, [["sale", blockLength]])
      // The deposit is the first entry.
      yield* run(confirm(0, blockLength - 3))
      assert.deepStrictEqual(yield* made, [["sale", blockLength]])
      yield* run(confirm(blockLength - 2, blockLength - 2))
      assert.deepStrictEqual(yield* made, [
        ["sale", blockLength],
        ["entry", blockLength]
      ])
      yield* run(confirm(blockLength - 1, blockLength))
      assert.isTrue(yield* isListed(company))
    })
  )

  it.effect("with wrong counts do not prevent a settlement, and are reported by the audit", () =>
    Effect.gen(function* () {
      const company = ++companies
      const first = roomFor(1)
      yield* setBlockLength(batchSize)
      yield* run(deposit([company]))
      for (const n of [0, 1]) yield* run(reserve([company], first, n))
      yield* run(settle([company], first, batchSize))
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
      yield* run(deposit([company]))
      yield* run(reserve([company], roomFor(1), 0))
      const key = IdempotencyKey.make("k-0-3")
      const found = yield* Transactions.use(({ list }) =>
        list(CompanyId.make(company), { key }, { page: 1, perPage: 9 })
      )
      assert.deepStrictEqual([found.total, found.items.map(({ xid }) => xid)], [1, ["x-0-3"]])
    })
  )

  it.effect("give the same pages as queries without blocks, for any order of the sales", () =>
    Effect.gen(function* () {
      const transactions = yield* Transactions
      const allTransactions = yield* AllTransactions
      yield* setBlockLength(blockLength)
      yield* forRandomValues(fc.tuple(history, asking, askingAll), 30, ([past, questions, questionsOfAll]) =>
        Effect.gen(function* () {
          const pair = [++companies, ++companies]
          const first = roomFor(2)
          yield* run(deposit(pair))
          for (const n of past.batches) yield* run(reserve(pair, first, n))
          for (const { count, from } of past.settled) yield* run(settle(pair, first + 2 * from, 2 * count))
          yield* run(reverse(pair))
          for (const [relative, page] of questions) {
            const filter = relative.upTo === undefined ? relative : { ...relative, upTo: first + relative.upTo }
            const { items, total, upTo } = yield* transactions.list(CompanyId.make(companies), filter, page)
            assert.deepStrictEqual(
              { ids: items.map(({ id }) => Number(id)), total, upTo },
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
      )
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )
})
