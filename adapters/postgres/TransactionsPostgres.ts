import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { CompanyId, TransactionId } from "../../core/domain/Ids.ts"
import type { Page } from "../../core/domain/Page.ts"
import type { Status } from "../../core/domain/Status.ts"
import type { TransactionFilter } from "../../core/domain/Transaction.ts"
import { Transactions } from "../../core/ports/Transactions.ts"
import { companyReads } from "./CompanyReads.ts"
import { ofCompany, pageOfCounted, pageOfFound } from "./Paged.ts"
import { int8 } from "./Parameters.ts"
import { having, sales } from "./SalesByStatus.ts"
import { type TransactionRow, transactionColumns, transactionOf } from "./TransactionRow.ts"

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const reads = yield* companyReads

  const find = Effect.fnUntraced(function* (companyId: CompanyId, id: TransactionId) {
    const [row] = yield* Effect.orDie(reads(companyId)<TransactionRow>`
      select ${sql.literal(transactionColumns())}
      from cell.transaction
      where company_id = ${int8(companyId)} and id = ${int8(id)}`)
    return Option.map(Option.fromUndefinedOr(row), transactionOf)
  })

  const rowsOf = (companyId: CompanyId, { identifier, key, status, xid, ...range }: TransactionFilter) => {
    const narrowed = [
      ...ofCompany(sql, companyId, range),
      ...(status === undefined ? [] : [sql.literal(having[status].row)]),
      ...(identifier === undefined ? [] : [sql`t.identifier = ${identifier}`]),
      ...(key === undefined ? [] : [sql`t.idempotency_key = ${key}`]),
      ...(xid === undefined ? [] : [sql`t.xid = ${xid}`])
    ]
    const where = (also: ReadonlyArray<Fragment>) =>
      sql`select t.id from cell.transaction as t where ${sql.and([...narrowed, ...also])}`
    const either = (status: Status) => sql`
      ${where([sql.literal(`t.status <> '${status}'`)])}
      union all
      ${where([sql.literal(`t.status = '${status}'`)])}`
    // Each of these columns has two partial indexes: one for sales in this status, one for all others. The condition
    // lets the planner use both.
    return xid !== undefined ? either("FAILED") : identifier !== undefined ? either("PROCESSING") : where([])
  }

  const list = (companyId: CompanyId, filter: TransactionFilter, page: Page) => {
    const { identifier, key, status, xid } = filter
    const rows =
      identifier === undefined && key === undefined && xid === undefined
        ? pageOfCounted<TransactionRow>(
            sql,
            reads,
            sales,
            { companyId, range: filter, also: status === undefined ? undefined : having[status] },
            page
          )
        : pageOfFound<TransactionRow>(sql, reads, sales, companyId, rowsOf(companyId, filter), page)
    return Effect.map(rows, ({ items, total }) => ({ items: items.map(transactionOf), total }))
  }

  return Transactions.of({ find, list })
})

/** `Transactions` in Postgres. */
export const layer = Layer.effect(Transactions, make)
