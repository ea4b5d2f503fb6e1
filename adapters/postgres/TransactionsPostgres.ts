import { PgClient, PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Layer, Option } from "effect"
import type { CompanyId, TransactionId } from "../../core/domain/Ids.ts"
import { nextDay, startOfDay } from "../../core/domain/LocalTime.ts"
import type { Page, TransactionFilter } from "../../core/domain/Transaction.ts"
import { Transactions } from "../../core/ports/Transactions.ts"
import { type TransactionRow, transactionColumns, transactionOf } from "./TransactionRow.ts"

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const columns = sql.literal(transactionColumns())
  const of = (companyId: CompanyId) => PgTypes.int8(BigInt(companyId))

  const find = Effect.fnUntraced(function* (companyId: CompanyId, id: TransactionId) {
    const [row] = yield* Effect.orDie(sql<TransactionRow>`
      select ${columns}
      from cell.transaction
      where company_id = ${of(companyId)} and id = ${PgTypes.int8(BigInt(id))}`)
    return Option.map(Option.fromUndefinedOr(row), transactionOf)
  })

  const matching = (companyId: CompanyId, filter: TransactionFilter) =>
    sql.and([
      sql`company_id = ${of(companyId)}`,
      ...(filter.status === undefined ? [] : [sql`status = ${filter.status}`]),
      ...(filter.from === undefined
        ? []
        : [sql`created_at >= ${DateTime.formatIso(startOfDay(filter.from))}::timestamptz`]),
      ...(filter.to === undefined
        ? []
        : [sql`created_at < ${DateTime.formatIso(startOfDay(nextDay(filter.to)))}::timestamptz`]),
      ...(filter.identifier === undefined ? [] : [sql`identifier = ${filter.identifier}`])
    ])

  const list = Effect.fnUntraced(function* (companyId: CompanyId, filter: TransactionFilter, { page, perPage }: Page) {
    const where = matching(companyId, filter)
    const skipped = BigInt(page - 1) * BigInt(perPage)
    const [[counted], rows] = yield* Effect.orDie(
      Effect.all(
        [
          sql<{ total: bigint }>`select count(*) as total from cell.transaction where ${where}`,
          sql<TransactionRow>`
            select ${columns}
            from cell.transaction
            where ${where}
            order by id desc
            limit ${perPage} offset ${PgTypes.int8(skipped)}`
        ],
        { concurrency: 2 }
      )
    )
    return { items: rows.map(transactionOf), total: Number(counted?.total ?? 0) }
  })

  return Transactions.of({ find, list })
})

/** A company's sales in Postgres. */
export const layer = Layer.effect(Transactions, make)
