import { DateTime, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { FollowedStatus } from "../../../core/domain/FollowUp.ts"
import { latestTrusted } from "../../../core/domain/Recovery.ts"
import { type ClaimedCheck, type FollowUpClaim, FollowUps, type SettledSale } from "../../../core/ports/FollowUps.ts"
import { cellClient } from "../connection/Cell.ts"
import { instant, int8 } from "../connection/Sql.ts"
import { orderOf, readEach, type SaleRow, saleColumns } from "./TransactionRow.ts"

/**
 * The last sale that a later check of settled sales has reached. A check reads sales in the order of their settlement, then
 * of their id.
 */
interface Reached {
  readonly settledAt: DateTime.Utc
  /** 0 if the check has not reached any sale of this instant. */
  readonly transactionId: number
}

interface ReachedRow {
  readonly settled_at: Date
  readonly transaction_id: bigint
}

const reachedOf = ({ settled_at, transaction_id }: ReachedRow): Reached => ({
  settledAt: DateTime.fromDateUnsafe(settled_at),
  transactionId: Number(transaction_id)
})

const settledSaleOf = (row: SaleRow): SettledSale => ({
  order: orderOf(row),
  // The query reads only sales with a `FollowedStatus`.
  status: row.status as FollowedStatus
})

/** When the lease of a claim ends. It identifies the claim, because the next claim begins after it. */
const leaseEnd = ({ lease, now }: FollowUpClaim) => instant(DateTime.addDuration(now, lease))

const claiming = Effect.gen(function* () {
  const sql = yield* cellClient

  /**
   * Takes the lease of a check. Returns the last sale that the check has reached, or no row while another process has the
   * lease.
   */
  const leased = (claim: FollowUpClaim, start: DateTime.Utc) => sql<ReachedRow>`
    insert into ${sql.cell}.follow_up as f (hours, settled_at, transaction_id, leased_until)
    values (${claim.check.hours}, ${instant(start)}, 0, ${leaseEnd(claim)})
    on conflict (hours) do update
    set leased_until = excluded.leased_until
    where f.leased_until is null
      or f.leased_until <= ${instant(claim.now)}
      or f.leased_until > ${instant(latestTrusted(claim.now, claim.lease))}
    returning settled_at, transaction_id`

  /**
   * Sales after a position, up to an instant. The condition on the environment repeats the condition of the partial index.
   */
  const settledAfter = ({ settledAt, transactionId }: Reached, until: DateTime.Utc) => sql`
    from ${sql.cell}.transaction
    where environment = 'production'
      and processed_at between ${instant(settledAt)} and ${instant(until)}
      and (processed_at, id) > (${instant(settledAt)}, ${int8(transactionId)})
      and status in ('SUCCESS', 'FAILED')`

  /** Ends a claim, and records `reached` unless it is null. */
  const finish = (claim: FollowUpClaim, reached: Reached | null) => {
    const progress =
      reached === null
        ? sql``
        : sql`, settled_at = ${instant(reached.settledAt)}, transaction_id = ${int8(reached.transactionId)}`
    return sql`
      update ${sql.cell}.follow_up
      set leased_until = null${progress}
      where hours = ${claim.check.hours} and leased_until = ${leaseEnd(claim)}`.pipe(Effect.asVoid, Effect.orDie)
  }

  return Effect.fnUntraced(function* (claim: FollowUpClaim): Effect.fn.Return<ClaimedCheck | null, SqlError> {
    const { began, check, limit } = claim
    const start = DateTime.subtractDuration(began, check.lateAfter)
    const [row] = yield* leased(claim, start)
    if (row === undefined) return null
    const at = reachedOf(row)
    const isLate = DateTime.isLessThan(at.settledAt, start)
    const [left] = isLate
      ? yield* sql<{ out: boolean }>`select exists (select ${settledAfter(at, start)}) as out`
      : [{ out: false }]
    const from = isLate ? { settledAt: start, transactionId: 0 } : at
    const rows = yield* sql<SaleRow & { readonly processed_at: Date }>`
      select ${sql.literal(saleColumns())}
      ${settledAfter(from, DateTime.subtractDuration(began, check.dueAfter))}
      order by processed_at, id
      limit ${limit}`
    // The last row counts as reached even if its sale is unreadable.
    const last = rows.at(-1)
    const reached = last === undefined ? from : reachedOf({ settled_at: last.processed_at, transaction_id: last.id })
    return {
      sales: readEach(rows, settledSaleOf).items,
      isLast: rows.length < limit,
      skipped: left?.out === true,
      finish: (areAsked) => finish(claim, areAsked ? reached : null)
    }
  }, Effect.orDie)
})

const make = Effect.gen(function* () {
  const sql = yield* cellClient

  /** SQL for whether no sale after `t` has its xid. Failed sales and other sales have separate indexes on the xid. */
  const noneLater = (statuses: "= 'FAILED'" | "<> 'FAILED'") => sql`
    not exists (
      select
      from ${sql.cell}.transaction as later
      where later.company_id = t.company_id
        and later.xid = t.xid
        and later.id > t.id
        and later.status ${sql.literal(statuses)}
    )`

  const stands: FollowUps["Service"]["stands"] = ({ order: { companyId, transactionId }, status }) =>
    sql<{ stands: boolean }>`
      select exists (
        select
        from ${sql.cell}.transaction as t
        where t.company_id = ${int8(companyId)}
          and t.id = ${int8(transactionId)}
          and t.status = ${status}
          and ${noneLater("<> 'FAILED'")}
          and ${noneLater("= 'FAILED'")}
          and not exists (
            select
            from ${sql.cell}.reversal as v
            where v.company_id = t.company_id and v.transaction_id = t.id and v.status <> 'DENIED'
          )
      ) as stands`.pipe(
      Effect.map(([row]) => row?.stands === true),
      Effect.orDie
    )

  return FollowUps.of({ claim: yield* claiming, stands })
})

/** `FollowUps` in Postgres. The progress concerns all companies of the cell together. */
export const layer = Layer.effect(FollowUps, make)
