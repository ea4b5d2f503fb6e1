import { PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { CompanyId, type TransactionId } from "../../../core/domain/Ids.ts"
import type { Page } from "../../../core/domain/Page.ts"
import type { Status } from "../../../core/domain/Status.ts"
import type { KeyedTransaction, TransactionFilter } from "../../../core/domain/Transaction.ts"
import { type OwnedTransaction, Transactions } from "../../../core/ports/Transactions.ts"
import { type CellSql, cellClient } from "../connection/Cell.ts"
import { companyReads } from "../connection/CompanyReads.ts"
import { int8 } from "../connection/Sql.ts"
import {
  latestReversal,
  readEach,
  saleColumns,
  type TransactionRow,
  transactionColumns,
  transactionOf
} from "../ledger/TransactionRow.ts"
import { type CountedList, type Narrowing, ofCompany, pageOfCounted, pageOfFound, type Sublist } from "./CountedList.ts"

export const saleList: CountedList = {
  list: "sale",
  length: "sales",
  table: "transaction",
  columns: `${saleColumns("t.")}, t.reversible, t.idempotency_key`,
  further: (sql) => latestReversal(sql, "shown")
}

export type KeyedRow = TransactionRow & { readonly idempotency_key: string }

const keyedOf = (row: KeyedRow): KeyedTransaction => ({ ...transactionOf(row), key: row.idempotency_key })

/** A sale with its company. */
export const ownedOf = (row: KeyedRow): OwnedTransaction => ({
  companyId: CompanyId.make(Number(row.company_id)),
  transaction: keyedOf(row)
})

/** The readable items of a page, and the ids of the unreadable ones. */
export const pageOf = <Row extends TransactionRow, A extends object>(
  rows: ReadonlyArray<Row>,
  read: (row: Row) => A
) => {
  const { items, unreadable } = readEach(rows, read)
  return { items, unreadable: unreadable.map(({ id }) => Number(id)) }
}

type Having = NonNullable<Narrowing["also"]>

/**
 * Condition for the sales of a status, and SQL for their number in a block. The status is a literal, because only then
 * does the planner use a partial index.
 *
 * For PROCESSING, the condition hides the literal from the planner. Otherwise it could choose the index of all
 * companies' unresolved sales, which is long after an outage.
 */
const salesHaving: Readonly<Record<Status, Having>> = {
  PROCESSING: {
    row: "t.status || '' = 'PROCESSING'",
    counted: "o.members - o.pending - o.success - o.failed - o.reversed"
  },
  PENDING: { row: "t.status = 'PENDING'", counted: "o.pending" },
  SUCCESS: { row: "t.status = 'SUCCESS'", counted: "o.success" },
  FAILED: { row: "t.status = 'FAILED'", counted: "o.failed" },
  REVERSED: { row: "t.status = 'REVERSED'", counted: "o.reversed" }
}

/** The condition for several statuses. Undefined (all sales) if no status is given. */
export const salesHavingAnyOf = (statuses: ReadonlyArray<Status> | undefined): Having | undefined =>
  statuses && {
    row: `(${statuses.map((status) => salesHaving[status].row).join(" or ")})`,
    counted: `(${statuses.map((status) => salesHaving[status].counted).join(" + ")})`
  }

/** The sublist of sales with the filter's service and terminal. Undefined if the filter has neither. */
export const sublistOf = (
  sql: CellSql,
  { serviceId, terminalId }: Pick<TransactionFilter, "serviceId" | "terminalId">
): Sublist | undefined =>
  serviceId === undefined && terminalId === undefined
    ? undefined
    : {
        row: sql.and([
          ...(serviceId === undefined ? [] : [sql`t.service_id = ${int8(serviceId)}`]),
          ...(terminalId === undefined ? [] : [sql`t.terminal_id = ${terminalId}`])
        ]),
        name: sql`${sql.cell}.sublist_of(${int8(serviceId ?? null)}, ${PgTypes.text(terminalId ?? null)})`
      }

const make = Effect.gen(function* () {
  const sql = yield* cellClient
  const reads = yield* companyReads

  const find = Effect.fnUntraced(function* (companyId: CompanyId, id: TransactionId) {
    const [row] = yield* Effect.orDie(reads(companyId)<TransactionRow>`
      select ${transactionColumns(sql)}
      from ${sql.cell}.transaction as t
      where t.company_id = ${int8(companyId)} and t.id = ${int8(id)}`)
    return Option.map(Option.fromUndefinedOr(row), transactionOf)
  })

  const rowsOf = (companyId: CompanyId, filter: TransactionFilter) => {
    const { identifier, key, status, xid } = filter
    const sublist = sublistOf(sql, filter)
    const narrowed = [
      ...ofCompany(sql, companyId, filter),
      ...(status === undefined ? [] : [sql.literal(salesHaving[status].row)]),
      ...(sublist === undefined ? [] : [sublist.row]),
      ...(identifier === undefined ? [] : [sql`t.identifier = ${identifier}`]),
      ...(key === undefined ? [] : [sql`t.idempotency_key = ${key}`]),
      ...(xid === undefined ? [] : [sql`t.xid = ${xid}`])
    ]
    const where = (also: ReadonlyArray<Fragment>) =>
      sql`select t.id from ${sql.cell}.transaction as t where ${sql.and([...narrowed, ...also])}`
    const either = (status: Status) => sql`
      ${where([sql.literal(`t.status <> '${status}'`)])}
      union all
      ${where([sql.literal(`t.status = '${status}'`)])}`
    // Each of these columns has two partial indexes: one for sales in this status, one for all others. The condition lets
    // the planner use both indexes.
    return xid !== undefined ? either("FAILED") : identifier !== undefined ? either("PROCESSING") : where([])
  }

  const list = (companyId: CompanyId, filter: TransactionFilter, page: Page) => {
    const { identifier, key, status, xid } = filter
    const rows =
      identifier === undefined && key === undefined && xid === undefined
        ? pageOfCounted<KeyedRow>(
            sql,
            reads,
            saleList,
            {
              companyId,
              filter,
              also: status === undefined ? undefined : salesHaving[status],
              sublist: sublistOf(sql, filter)
            },
            page
          )
        : pageOfFound<KeyedRow>(sql, reads, saleList, { companyId, filter }, rowsOf(companyId, filter), page)
    return Effect.map(rows, (slice) => ({ ...slice, items: slice.items.map(keyedOf) }))
  }

  return Transactions.of({ find, list })
})

export const layer = Layer.effect(Transactions, make)
