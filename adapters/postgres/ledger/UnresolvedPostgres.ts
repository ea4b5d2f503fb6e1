import { DateTime, Effect, Layer } from "effect"
import { latestTrusted } from "../../../core/domain/Recovery.ts"
import { type RecoveryClaim, Unresolved } from "../../../core/ports/Unresolved.ts"
import { type CellSql, cellClient, isOpen } from "../connection/Cell.ts"
import { instant, instantOrNull } from "../connection/Sql.ts"
import { claimReadable, orderOf, type SaleRow, saleColumns } from "./TransactionRow.ts"

/** The recovery state of a claimed row. */
export interface AskedRow {
  readonly not_found: number
  readonly ask_at: Date | null
}

export const askedOf = ({ ask_at, not_found }: AskedRow) => ({
  notFound: not_found,
  askAt: instantOrNull(ask_at)
})

/**
 * The statement that leases unresolved operations of a table to one recovery, and returns their columns.
 *
 * Rows of closed companies, and rows that another recovery has locked or leased, are skipped. A claim of all operations
 * skips an operation if this recovery cycle has already sent a status query about the operation. The claim includes an
 * operation in PROCESSING only after the time by which its provider call has certainly ended. A timestamp in the future
 * comes from a wrong clock and does not delay the claim.
 *
 * The update finds the locked rows by their physical position (ctid). A join by key is slow: a planner that believes the
 * table is empty compares the rows with every sale, once a second. A row that changes between the snapshot and its lock has
 * a new position. This claim skips such a row, and the next claim finds it.
 */
export const claimedRows = <Row extends object>(
  sql: CellSql,
  table: "transaction" | "reversal",
  columns: string,
  { began, lease, limit, now, which }: RecoveryClaim
) => {
  const since = instant(began)
  const at = instant(now)
  const until = instant(DateTime.addDuration(now, lease))
  const trusted = instant(latestTrusted(now, lease))
  const wanted =
    which === "due"
      ? sql`ask_at <= ${since}`
      : sql`(ask_at <= ${since} or ask_at > ${trusted} or status = 'PENDING')
          and (asked_at is null or asked_at < ${since} or asked_at > ${at})`
  return sql<Row>`
    with claimed as materialized (
      select t.ctid as place
      from ${sql.cell}.${sql.literal(table)} as t
      where status in ('PROCESSING', 'PENDING')
        and (leased_until is null or leased_until <= ${at} or leased_until > ${trusted})
        and ${wanted}
        and ${isOpen(sql, "t")}
      order by ask_at
      limit ${limit}
      for update of t skip locked
    )
    update ${sql.cell}.${sql.literal(table)} as t
    set leased_until = ${until}, asked_at = ${at}
    from claimed
    where t.ctid = claimed.place
    returning ${sql.literal(columns)}`
}

const columns = `${saleColumns()}, not_found, ask_at`

type ClaimedRow = SaleRow & AskedRow

const make = Effect.map(cellClient, (sql) =>
  Unresolved.of({
    claim: (wanted) =>
      claimReadable(
        "sale",
        (limit) => Effect.orDie(claimedRows<ClaimedRow>(sql, "transaction", columns, { ...wanted, limit })),
        (row) => ({ order: orderOf(row), claimedAt: wanted.now, ...askedOf(row) }),
        wanted.limit
      )
  })
)

export const layer = Layer.effect(Unresolved, make)
