import { PgClient, PgTypes } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Effect } from "effect"
import { reserveRow } from "../../adapters/postgres/ReserveRow.ts"
import { settleRow } from "../../adapters/postgres/SettleRow.ts"
import { TransactionId } from "../../core/domain/Ids.ts"
import { periodsAt } from "../../core/domain/LocalTime.ts"
import { type Order, Verdict } from "../../core/domain/Sale.ts"
import { TestDatabase } from "../support/Database.ts"
import { intentOf } from "../support/Sales.ts"

const owner = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`
const delivery = { authCode: "A1", rechargeToken: null }

/** Reserves and settles one sale within the transaction that is open. */
const sellOne = Effect.fnUntraced(function* (company: number, n: number) {
  const sql = yield* PgClient.PgClient
  const at = yield* DateTime.now
  const { day, month, week } = periodsAt(at)
  const instant = DateTime.formatIso(at)
  const intent = intentOf(company, `sale ${n}`, 100)
  const [row] = yield* sql<{ answer: { readonly transaction_id: number } }>`
    select answer
    from cell.reserve(
      ${PgTypes.jsonb([reserveRow({ intent, owner: owner(n) }, 0)])}, ${instant}::timestamptz, ${day}::date,
      ${week}::date, ${month}::date, ${instant}::timestamptz, ${instant}::timestamptz, ${instant}::timestamptz
    )`
  const order: Order = { ...intent, transactionId: TransactionId.make(row?.answer.transaction_id ?? 0), createdAt: at }
  const settlement = { order, verdict: Verdict.Confirm({ delivery }), at, notFound: 0 }
  yield* sql`select won from cell.settle(${PgTypes.jsonb([{ ...settleRow(settlement), n: 0 }])})`
})

/** Rows of the cell that this transaction has read so far, by index or without. */
const rowsRead = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ rows: number }>`
    select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows
    from pg_stat_xact_user_tables
    where schemaname = 'cell'`
  return row?.rows ?? 0
})

/** Gives companies of these numbers money. */
const fund = (first: number, last: number) =>
  PgClient.PgClient.use(
    (sql) => sql`
      insert into cell.balance (company_id, available, limit_daily, limit_weekly, limit_monthly, updated_at)
      select id, 1000000000, 0, 0, 0, 'epoch'
      from generate_series(${first}::int, ${last}::int) as id`
  )

/** The rows that sales of a company read, these many. */
const readBySales = Effect.fnUntraced(function* (company: number, numbers: ReadonlyArray<number>) {
  const before = yield* rowsRead
  yield* Effect.forEach(numbers, (n) => sellOne(company, n), { discard: true })
  return (yield* rowsRead) - before
})

layer(TestDatabase)("a sale in a database that was never analyzed", (it) => {
  it.effect("reads no more rows when its company has sold much than when it has sold little", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* fund(1, 1)
          const reads = yield* Effect.forEach(Arr.range(0, 5), (hundred) =>
            readBySales(1, Arr.range(100 * hundred + 1, 100 * hundred + 100))
          )
          const [first, ...later] = reads
          for (const read of later) assert.isAtMost(read, 1.2 * (first ?? 0), reads.join(", "))
        })
      )
    })
  )

  it.effect("reads no more rows when many other companies have sold", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* fund(1001, 1301)
          const alone = yield* readBySales(1001, Arr.range(1, 20))
          for (const company of Arr.range(1002, 1301)) yield* sellOne(company, 100_000 + company)
          const among = yield* readBySales(1001, Arr.range(21, 40))
          assert.isAtMost(among, 1.2 * alone, `${alone}, ${among}`)
        })
      )
    })
  )
})
