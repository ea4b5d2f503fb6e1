import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect, Layer } from "effect"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { Centavos } from "../../../core/domain/Money.ts"
import type { Page } from "../../../core/domain/Page.ts"
import type { ReversalStatus } from "../../../core/domain/Status.ts"
import {
  AllTransactions,
  type OwnedFilter,
  type OwnedTransaction,
  type PendingOrder,
  type PendingTransaction
} from "../../../core/ports/Transactions.ts"
import { companyReads } from "../connection/CompanyReads.ts"
import { int8 } from "../connection/Sql.ts"
import { readEach, type TransactionRow, transactionOf } from "../ledger/TransactionRow.ts"
import { boundsOf, furtherOf, pageOfCounted, sliceOf, type WithTotal } from "./CountedList.ts"
import { saleList, salesHavingAnyOf } from "./TransactionsPostgres.ts"

const ownedOf = (row: TransactionRow): OwnedTransaction => ({
  companyId: CompanyId.make(Number(row.company_id)),
  transaction: transactionOf(row)
})

/**
 * An unresolved sale, or a sale with an unresolved reversal, and since when it is unresolved. For a reversal also its
 * xid and status.
 */
type PendingRow = TransactionRow & { readonly doubted_at: Date } & (
    | { readonly reversal_xid: null }
    | { readonly reversal_xid: string; readonly reversal_status: ReversalStatus }
  )

/** Totals over all unresolved sales and reversals. */
interface Summed {
  readonly held: bigint
  readonly reversals: number
}

const pendingOf = (row: PendingRow): PendingTransaction => ({
  ...ownedOf(row),
  reversal:
    row.reversal_xid === null
      ? null
      : { xid: row.reversal_xid, status: row.reversal_status, createdAt: DateTime.fromDateUnsafe(row.doubted_at) }
})

/** The readable items of a page, and the ids of the unreadable ones. */
const pageOf = <Row extends TransactionRow, A extends object>(rows: ReadonlyArray<Row>, read: (row: Row) => A) => {
  const { items, unreadable } = readEach(rows, read)
  return { items, unreadable: unreadable.map(({ id }) => Number(id)) }
}

/** SQL for the number of a company's sales that meet a condition and are newer than its last block. */
const countOf = (condition: string) => `
  select count(*)
  from cell.transaction as t
  where t.company_id = o.company_id and t.id between o.first_id and o.last_id and ${condition}`

/**
 * A page of the sales of all companies, newest first, with their total.
 *
 * The blocks of different companies overlap in time, and one company's sales may fill the whole page. So for each
 * company, the query considers as many of the newest sales as the page reaches back. It skips blocks that are older
 * than enough other blocks. Sales that are in no block yet are treated as one more block.
 */
const pageOfAllCompanies = (sql: PgClient.PgClient, statuses: OwnedFilter["statuses"], page: Page) => {
  const having = salesHavingAnyOf(statuses)
  const { reach, skipped } = boundsOf(page)
  return sql<WithTotal<TransactionRow>>`
    with beyond as (
      select b.company_id, o.first_id, o.last_id, b.sales - b.sales_listed as n
      from cell.balance as b
      cross join lateral (
        select min(t.id) as first_id, max(t.id) as last_id
        from cell.transaction as t
        where t.company_id = b.company_id and t.id > b.listed_to
      ) as o
      where b.sales > b.sales_listed
    ),
    counted as (
      select o.company_id, o.first_id, o.last_id, ${sql.literal(having?.counted ?? "o.members")} as n
      from cell.block as o
      where o.list = 'sale'
      union all
      select o.company_id, o.first_id, o.last_id, ${sql.literal(having === undefined ? "o.n" : `(${countOf(having.row)})`)}
      from beyond as o
    ),
    summed as materialized (
      select
        company_id,
        first_id,
        last_id,
        (sum(n) over (partition by company_id order by first_id desc))::bigint - n as newer,
        sum(n) over (order by first_id desc) as upto,
        n
      from counted
      where n > 0
    ),
    shown as (
      select r.*
      from summed as o
      cross join lateral (
        select ${sql.literal(saleList.columns)}
        from cell.transaction as t
        where t.company_id = o.company_id
          and t.id between o.first_id and o.last_id
          ${sql.literal(having === undefined ? "" : `and ${having.row}`)}
        order by t.id desc
        limit ${reach} - o.newer
      ) as r
      where o.newer < ${reach}
        and o.last_id >= coalesce((select max(first_id) from summed where upto >= ${reach}), 0)
      order by r.id desc, r.company_id
      offset ${skipped}
      limit ${page.perPage}
    )
    select whole.total, shown.*${furtherOf(sql, saleList)}
    from (select coalesce(sum(n), 0)::bigint as total from summed) as whole
    left join shown on true
    order by shown.id desc, shown.company_id`
}

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const reads = yield* companyReads
  const columns = sql.literal(saleList.columns)

  const list = Effect.fnUntraced(function* ({ companyId, statuses }: OwnedFilter, page: Page) {
    const { items, total } =
      companyId === undefined
        ? sliceOf(yield* pageOfAllCompanies(sql, statuses, page))
        : yield* pageOfCounted<TransactionRow>(
            sql,
            reads,
            saleList,
            { companyId, filter: {}, also: salesHavingAnyOf(statuses) },
            page
          )
    return { ...pageOf(items, ownedOf), total }
  }, Effect.orDie)

  // The sums read only unresolved rows, through two partial indexes. No sale counts twice, because only a delivered
  // sale can have a reversal.
  const pending = Effect.fnUntraced(function* (companyId: CompanyId | undefined, order: PendingOrder, page: Page) {
    const first = (table: string) =>
      sql.literal(order === "age" ? `${table}.doubted_at` : `${table}.holds desc, ${table}.doubted_at`)
    const ofCompany = companyId === undefined ? sql`true` : sql`t.company_id = ${int8(companyId)}`
    const rows = yield* sql<WithTotal<PendingRow> & Summed>`
      with unresolved as materialized (
        select ${columns}, t.amount as holds, t.created_at as doubted_at, null as reversal_xid, null as reversal_status
        from cell.transaction as t
        where t.status in ('PROCESSING', 'PENDING') and ${ofCompany}
        union all
        select ${columns}, 0, v.created_at, v.xid, v.status
        from cell.reversal as v
        join cell.transaction as t on t.company_id = v.company_id and t.id = v.transaction_id
        where v.status in ('PROCESSING', 'PENDING') and ${ofCompany}
      )
      select whole.total, whole.held, whole.reversals, shown.*${furtherOf(sql, saleList)}
      from (
        select count(*) as total, count(reversal_xid)::int as reversals, coalesce(sum(holds), 0)::bigint as held
        from unresolved
      ) as whole
      left join (
        select *
        from unresolved as t
        order by ${first("t")}, t.company_id, t.id
        limit ${page.perPage} offset ${boundsOf(page).skipped}
      ) as shown on true
      order by ${first("shown")}, shown.company_id, shown.id`
    const { items, total } = sliceOf(rows)
    const { held, reversals } = rows[0] ?? { held: 0n, reversals: 0 }
    return { ...pageOf(items, pendingOf), total, reversals, held: Centavos.make(Number(held)) }
  }, Effect.orDie)

  return AllTransactions.of({ list, pending })
})

/** `AllTransactions` in Postgres. */
export const layer = Layer.effect(AllTransactions, make)
