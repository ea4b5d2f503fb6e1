import { PgClient, PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { CompanyId, type TransactionId } from "../../core/domain/Ids.ts"
import type { Page } from "../../core/domain/Transaction.ts"
import { AllTransactions, type OwnedFilter, type OwnedTransaction } from "../../core/ports/AllTransactions.ts"
import { type TransactionRow, transactionColumns, transactionOf } from "./TransactionRow.ts"

const ownedOf = (row: TransactionRow): OwnedTransaction => ({
  companyId: CompanyId.make(Number(row.company_id)),
  transaction: transactionOf(row)
})

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const columns = sql.literal(transactionColumns())

  // The company leads the key, so each is looked into by its own step of the index.
  const find = Effect.fnUntraced(function* (id: TransactionId) {
    const [row] = yield* sql<TransactionRow>`
      select t.*
      from directory.company as c
      cross join lateral (
        select ${columns}
        from cell.transaction
        where company_id = c.id and id = ${PgTypes.int8(BigInt(id))}
      ) as t`
    return Option.map(Option.fromUndefinedOr(row), ownedOf)
  }, Effect.orDie)

  const matching = ({ companyId, statuses }: OwnedFilter) =>
    sql.and([
      ...(companyId === undefined ? [] : [sql`company_id = ${PgTypes.int8(BigInt(companyId))}`]),
      ...(statuses === undefined ? [] : [sql.in("status", statuses)])
    ])

  const list = Effect.fnUntraced(function* (filter: OwnedFilter, { page, perPage }: Page) {
    const where = matching(filter)
    const [counted] = yield* sql<{ total: bigint }>`select count(*) as total from cell.transaction where ${where}`
    const rows = yield* sql<TransactionRow>`
      select ${columns}
      from cell.transaction
      where ${where}
      order by id desc
      limit ${perPage} offset ${PgTypes.int8(BigInt(page - 1) * BigInt(perPage))}`
    return { items: rows.map(ownedOf), total: Number(counted?.total ?? 0) }
  }, Effect.orDie)

  return AllTransactions.of({ find, list })
})

/** Everybody's sales in Postgres. */
export const layer = Layer.effect(AllTransactions, make)
