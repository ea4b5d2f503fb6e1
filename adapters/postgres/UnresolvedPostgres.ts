import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect, Layer, Schema } from "effect"
import { Order } from "../../core/domain/Sale.ts"
import { type Claim, Unresolved } from "../../core/ports/Unresolved.ts"
import { soldOf, type TransactionRow, transactionColumns } from "./TransactionRow.ts"

const decodeOrder = Schema.decodeUnknownSync(Schema.toType(Order))

const orderOf = (row: TransactionRow): Order =>
  decodeOrder({
    ...soldOf(row),
    companyId: Number(row.company_id),
    transactionId: Number(row.id),
    environment: row.environment
  })

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const columns = sql.literal(transactionColumns)

  // A row that another recovery has locked or leased is skipped, never waited for. Asked about on demand is whatever
  // this cycle has not asked yet; a PROCESSING sale only once its own call must have ended.
  const claim = Effect.fnUntraced(function* ({ lease, limit, now, which }: Claim) {
    const at = sql`${DateTime.formatIso(now)}::timestamptz`
    const wanted =
      which === "due"
        ? sql`ask_at <= ${at}`
        : sql`(ask_at <= ${at} or status = 'PENDING') and (asked_at is null or asked_at < ${at})`
    const rows = yield* Effect.orDie(sql<TransactionRow & { readonly not_found: number }>`
      update cell.transaction
      set leased_until = ${DateTime.formatIso(DateTime.addDuration(now, lease))}::timestamptz, asked_at = ${at}
      where (company_id, id) in (
        select company_id, id
        from cell.transaction
        where status in ('PROCESSING', 'PENDING')
          and (leased_until is null or leased_until <= ${at})
          and ${wanted}
        order by ask_at
        limit ${limit}
        for update skip locked
      )
      returning ${columns}, not_found`)
    return rows.map((row) => ({ order: orderOf(row), notFound: row.not_found }))
  })

  return Unresolved.of({ claim })
})

/** The sales that recovery asks about, in Postgres. */
export const layer = Layer.effect(Unresolved, make)
