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
  type PendingTransaction,
  type SoughtSale
} from "../../../core/ports/Transactions.ts"
import { companyReads } from "../connection/CompanyReads.ts"
import { int8 } from "../connection/Sql.ts"
import { readEach, type TransactionRow } from "../ledger/TransactionRow.ts"
import { boundsOf, furtherOf, pageOfCounted, sliceOf, type WithTotal } from "./CountedList.ts"
import { pageOfAllCompanies, pageOfDays, pageOfSought } from "./SalesOfAllCompanies.ts"
import { type KeyedRow, keyedOf, saleList, salesHavingAnyOf, sublistOf } from "./TransactionsPostgres.ts"

const ownedOf = (row: KeyedRow): OwnedTransaction => ({
  companyId: CompanyId.make(Number(row.company_id)),
  transaction: keyedOf(row)
})

/**
 * An unresolved sale, or a sale with an unresolved reversal, and since when it is unresolved. For a reversal also its
 * xid and status.
 */
type PendingRow = KeyedRow & { readonly doubted_at: Date } & (
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

/** How many of the newest sales are read first, in search of the sales that pass a filter. */
const newest_max = 20_000

/** The readable items of a page, and the ids of the unreadable ones. */
const pageOf = <Row extends TransactionRow, A extends object>(rows: ReadonlyArray<Row>, read: (row: Row) => A) => {
  const { items, unreadable } = readEach(rows, read)
  return { items, unreadable: unreadable.map(({ id }) => Number(id)) }
}

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const reads = yield* companyReads
  const columns = sql.literal(saleList.columns)

  const ofOneCompany = (companyId: CompanyId, filter: OwnedFilter, page: Page) => {
    const { from, services, statuses, terminalId, to } = filter
    const sublist = sublistOf(sql, { serviceId: services?.[0], terminalId })
    return pageOfCounted<KeyedRow>(
      sql,
      reads,
      saleList,
      { companyId, filter: { from, to }, also: salesHavingAnyOf(statuses), sublist },
      page
    )
  }

  /**
   * Reads the newest sales first. If they fill the page, the others are neither read nor counted. Null if older sales
   * may belong to the page.
   */
  const ofNewest = Effect.fnUntraced(function* (filter: OwnedFilter, page: Page) {
    const reach = page.page * page.perPage
    const rows = yield* pageOfDays(sql, filter, page, Math.max(newest_max, 20 * reach))
    const { items, total } = sliceOf(rows)
    const isCut = rows[0]?.cut === true
    return isCut && total <= reach ? null : { ...pageOf(items, ownedOf), total: isCut ? null : total }
  })

  const list = Effect.fnUntraced(function* (filter: OwnedFilter, page: Page) {
    const { companyId, from, services, terminalId, to } = filter
    if (companyId !== undefined && (services === undefined || services.length === 1)) {
      const { items, total } = yield* ofOneCompany(companyId, filter, page)
      return { ...pageOf(items, ownedOf), total }
    }
    const hasDays = from !== undefined || to !== undefined
    const isFew = hasDays || services !== undefined || terminalId !== undefined
    const newest = isFew ? yield* ofNewest(filter, page) : null
    if (newest !== null) return newest
    const { items, total } = sliceOf<KeyedRow>(yield* (hasDays ? pageOfDays : pageOfAllCompanies)(sql, filter, page))
    return { ...pageOf(items, ownedOf), total }
  }, Effect.orDie)

  const find = Effect.fnUntraced(function* (sought: SoughtSale, filter: OwnedFilter, page: Page) {
    const { items, total } = sliceOf(yield* pageOfSought(sql, sought, filter, page))
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

  return AllTransactions.of({ find, list, pending })
})

/** `AllTransactions` in Postgres. */
export const layer = Layer.effect(AllTransactions, make)
