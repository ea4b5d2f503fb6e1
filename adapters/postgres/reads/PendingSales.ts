import { DateTime, Effect } from "effect"
import { Environment } from "../../../core/domain/Company.ts"
import { Centavos } from "../../../core/domain/Money.ts"
import type { Page } from "../../../core/domain/Page.ts"
import { ageBands_s, type Supplier } from "../../../core/domain/Panorama.ts"
import type { ReversalStatus } from "../../../core/domain/Status.ts"
import type {
  PendingBand,
  PendingFilter,
  PendingOrder,
  PendingSlice,
  PendingTransaction
} from "../../../core/ports/Transactions.ts"
import type { CellSql } from "../connection/Cell.ts"
import { inOneSnapshot, instant, int8 } from "../connection/Sql.ts"
import { type ProposalRow, proposalColumns, proposalOf } from "../ledger/ResolutionsPostgres.ts"
import { boundsOf, furtherOf } from "./CountedList.ts"
import { type KeyedRow, ownedOf, pageOf, saleList } from "./TransactionsPostgres.ts"

/**
 * An unresolved sale, or a sale with an unresolved reversal. `doubted_at` is the time since which the outcome
 * is unknown.
 */
export type PendingRow = KeyedRow & {
  readonly doubted_at: Date
  readonly holds: bigint
  readonly supplier: Supplier
} & ({ readonly reversal_xid: null } | { readonly reversal_xid: string; readonly reversal_status: ReversalStatus }) &
  ({ readonly answer: null } | { readonly answer: string; readonly times: number; readonly last_at: Date }) &
  (ProposalRow | { readonly verdict: null })

interface BandRow {
  readonly environment: Environment
  readonly supplier: Supplier
  readonly band: number
  readonly sales: number
  readonly reversals: number
  readonly held: bigint
}

const pendingOf = (row: PendingRow): PendingTransaction => ({
  ...ownedOf(row),
  environment: Environment.make(row.environment as Environment),
  supplier: row.supplier,
  reversal:
    row.reversal_xid === null
      ? null
      : { xid: row.reversal_xid, status: row.reversal_status, createdAt: DateTime.fromDateUnsafe(row.doubted_at) },
  lastAnswer:
    row.answer === null ? null : { answer: row.answer, times: row.times, at: DateTime.fromDateUnsafe(row.last_at) },
  proposal: row.verdict === null ? null : proposalOf(row)
})

const bandOf = ({ band, held, ...row }: BandRow): PendingBand => ({
  ...row,
  from_s: ageBands_s[band] ?? 0,
  held: Centavos.make(Number(held))
})

const sumOf = (bands: ReadonlyArray<PendingBand>, field: "held" | "reversals" | "sales"): number =>
  bands.reduce((sum, band) => sum + band[field], 0)

/** A page of a cell's unresolved sales and reversals, and the totals over all of them. */
export interface PendingPage {
  readonly rows: ReadonlyArray<PendingRow>
  readonly bands: ReadonlyArray<PendingBand>
}

export type CellPending<E = never> = (
  filter: PendingFilter,
  order: PendingOrder,
  page: Page,
  now: DateTime.Utc
) => Effect.Effect<PendingPage, E>

export const pendingSliceOf = ({ bands, rows }: PendingPage): PendingSlice => {
  const reversals = sumOf(bands, "reversals")
  const total = sumOf(bands, "sales") + reversals
  return { ...pageOf(rows, pendingOf), bands, reversals, total, held: Centavos.make(sumOf(bands, "held")) }
}

/** SQL for the supplier of a sale `t`. */
const supplier = "case t.service_type when 'insurance' then 'insurer' else 'provider' end"

/** The page of unresolved sales and reversals, with the latest answer and the proposal of each. */
export const pendingOfCell = (sql: CellSql): CellPending => {
  // Reads only unresolved rows, through two partial indexes. No sale counts twice, because only a delivered sale can
  // have a reversal.
  const unresolved = (filter: PendingFilter) => {
    const wanted = sql.and([
      filter.companyId === undefined ? sql`true` : sql`t.company_id = ${int8(filter.companyId)}`,
      filter.supplier === undefined ? sql`true` : sql`${sql.literal(supplier)} = ${filter.supplier}`
    ])
    const columns = sql.literal(`${saleList.columns}, ${supplier} as supplier`)
    return sql`
      select ${columns}, t.amount as holds, t.created_at as doubted_at, null::bigint as reversal_id,
        null as reversal_xid, null as reversal_status
      from ${sql.cell}.transaction as t
      where t.status in ('PROCESSING', 'PENDING') and ${wanted}
      union all
      select ${columns}, 0, v.created_at, v.id, v.xid, v.status
      from ${sql.cell}.reversal as v
      join ${sql.cell}.transaction as t on t.company_id = v.company_id and t.id = v.transaction_id
      where v.status in ('PROCESSING', 'PENDING') and ${wanted}`
  }

  const bandsOf = (filter: PendingFilter, now: DateTime.Utc) => sql<BandRow>`
    select
      t.environment,
      t.supplier,
      width_bucket(
        greatest(0, date_part('epoch', ${instant(now)} - t.doubted_at)),
        array[${sql.literal(ageBands_s.join(", "))}]::float8[]
      ) - 1 as band,
      count(*) filter (where t.reversal_xid is null)::int as sales,
      count(t.reversal_xid)::int as reversals,
      sum(t.holds)::bigint as held
    from (${unresolved(filter)}) as t
    group by 1, 2, 3
    order by 1, 2, 3`

  const shown = (filter: PendingFilter, order: PendingOrder, page: Page) => {
    const first = (table: string) =>
      sql.literal(order === "age" ? `${table}.doubted_at` : `${table}.holds desc, ${table}.doubted_at`)
    return sql<PendingRow>`
      select shown.*, q.answer, q.times, q.last_at, ${sql.literal(proposalColumns)}${furtherOf(sql, saleList)}
      from (
        select *
        from (${unresolved(filter)}) as t
        order by ${first("t")}, t.company_id, t.id
        limit ${page.perPage} offset ${boundsOf(page).skipped}
      ) as shown
      left join lateral (
        select q.answer, q.times, q.last_at
        from ${sql.cell}.question as q
        where q.company_id = shown.company_id
          and q.transaction_id = shown.id
          and q.about = case when shown.reversal_xid is null then 'sale' else 'reversal' end
          and (shown.reversal_xid is null or q.last_at >= shown.doubted_at)
        order by q.n desc
        limit 1
      ) as q on true
      left join ${sql.cell}.resolution as r
        on r.company_id = shown.company_id
        and r.transaction_id = shown.id
        and r.reversal_id is not distinct from shown.reversal_id
      order by ${first("shown")}, shown.company_id, shown.id`
  }

  const read = Effect.fnUntraced(function* (filter: PendingFilter, order: PendingOrder, page: Page, now: DateTime.Utc) {
    const bands = (yield* bandsOf(filter, now)).map(bandOf)
    return { rows: yield* shown(filter, order, page), bands } satisfies PendingPage
  })

  return (...wanted) => Effect.orDie(inOneSnapshot(sql, read(...wanted)))
}
