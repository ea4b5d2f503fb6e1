import { PgClient, PgTypes } from "@effect/sql-pg"
import { type DateTime, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { Environment } from "../../../core/domain/Company.ts"
import { ServiceId } from "../../../core/domain/Ids.ts"
import { Centavos } from "../../../core/domain/Money.ts"
import type { HourOfService, SupplierResult } from "../../../core/domain/Panorama.ts"
import { type Interval, PanoramaReads } from "../../../core/ports/PanoramaReads.ts"
import { type CellSql, everyCell, type NamedCell } from "../connection/Cell.ts"
import { mainNode } from "../connection/Nodes.ts"
import { inOneSnapshot, instant } from "../connection/Sql.ts"
import { companyFacts } from "./CompanyFacts.ts"
import { mergedMatters, openMatters } from "./OpenMattersPostgres.ts"

interface HourRow extends Pick<HourOfService, "hour" | "sold" | "failed" | "reversed" | "unresolved"> {
  readonly service_id: bigint
  readonly service_name: string
  readonly amount: bigint
}

const hourOf = ({ amount, service_id, service_name, ...counts }: HourRow): HourOfService => ({
  ...counts,
  amount: Centavos.make(Number(amount)),
  service: { id: ServiceId.make(Number(service_id)), name: service_name }
})

interface SupplierRow extends Omit<SupplierResult, "service"> {
  readonly service_id: bigint | null
  readonly service_name: string
}

const supplierOf = ({ service_id, service_name, ...result }: SupplierRow): SupplierResult => ({
  ...result,
  service: service_id === null ? null : { id: ServiceId.make(Number(service_id)), name: service_name }
})

/**
 * Runs reads of the panorama in one snapshot, with their own settings. Without sequential scans, the plans use the
 * indexes on time and status even before statistics were gathered. A read uses one core, so that the other cores stay
 * free for sales, and fails after five seconds. The memory is enough to group and sort the sales of a day.
 */
const inPanoramaSnapshot = <A, E, R>(sql: PgClient.PgClient, reads: Effect.Effect<A, E, R>) =>
  inOneSnapshot(
    sql,
    Effect.andThen(
      sql`
        select
          set_config('enable_seqscan', 'off', true),
          set_config('max_parallel_workers_per_gather', '0', true),
          set_config('statement_timeout', '5s', true),
          set_config('work_mem', '32MB', true)`,
      reads
    )
  )

// The index on created_at finds the pages with sales of the interval.
const salesOf = (sql: CellSql, environment: Environment, { since, until }: Interval) => sql<HourRow>`
  select
    date_part('hour', t.created_at at time zone 'UTC' - interval '4 hours')::int as hour,
    t.service_id,
    max(t.service_name) as service_name,
    count(*) filter (where t.status = 'SUCCESS')::int as sold,
    coalesce(sum(t.amount) filter (where t.status = 'SUCCESS'), 0)::bigint as amount,
    count(*) filter (where t.status = 'FAILED')::int as failed,
    count(*) filter (where t.status = 'REVERSED')::int as reversed,
    count(*) filter (where t.status in ('PROCESSING', 'PENDING'))::int as unresolved
  from ${sql.cell}.transaction as t
  where t.created_at >= ${instant(since)} and t.created_at < ${instant(until)} and t.environment = ${environment}
  group by 1, 2
  order by 1, 2`

// With the condition `processed_at is not null`, a plan without statistics would read the index of all settled sales.
const settledOf = (sql: CellSql, environment: Environment, { since, until }: Interval) => sql`
  select
    case when service_type = 'insurance' then 'insurer' else 'provider' end as supplier,
    service_id,
    service_name,
    status,
    round(date_part('epoch', processed_at - created_at) * 1000) as ms
  from ${sql.cell}.transaction
  where created_at >= ${instant(since)}
    and created_at < ${instant(until)}
    and environment = ${environment}
    and status not in ('PROCESSING', 'PENDING')`

/**
 * The rows of `settledOf`, from a cell on another node. Equal rows are counted on that node, because a day may have a
 * million rows.
 */
const copiedFrom = Effect.fnUntraced(function* (sql: PgClient.PgClient, cell: NamedCell, settled: Fragment) {
  const rows = yield* cell.sql<{ row: unknown }>`
    select to_jsonb(c) as row
    from (
      select supplier, service_id, service_name, status, ms, count(*) as n from (${settled}) as s group by 1, 2, 3, 4, 5
    ) as c`
  return sql`
    select s.supplier, s.service_id, s.service_name, s.status, s.ms
    from jsonb_to_recordset(${PgTypes.jsonb(rows.map(({ row }) => row))}) as s(
      supplier text, service_id bigint, service_name text, status text, ms float8, n int
    )
    cross join generate_series(1, s.n)`
})

// Reads the rows of all cells in one statement, because percentiles of single cells cannot be combined.
const suppliersOf = (sql: PgClient.PgClient, settled: ReadonlyArray<Fragment>) => sql<SupplierRow>`
  select
    t.supplier,
    t.service_id,
    max(t.service_name) as service_name,
    count(*) filter (where t.status <> 'FAILED')::int as delivered,
    count(*) filter (where t.status = 'FAILED')::int as failed,
    percentile_disc(0.5) within group (order by t.ms) as median_ms,
    percentile_disc(0.95) within group (order by t.ms) as p95_ms
  from (${sql.join(" union all ", false)(settled)}) as t
  group by grouping sets ((t.supplier), (t.supplier, t.service_id))
  order by t.supplier desc, t.service_id nulls first`

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const readCells = yield* everyCell

  const environments = sql<{ environment: Environment }>`select distinct environment from directory.company`.pipe(
    Effect.map((rows) => rows.map(({ environment }) => environment)),
    Effect.orDie
  )

  /** Runs a read in every cell, and returns the results in the order of the cells. */
  const ofEach = <A>(read: (cell: NamedCell) => Effect.Effect<A, SqlError>) =>
    Effect.flatMap(readCells, (cells) => Effect.forEach(cells, read))

  const sales = (environment: Environment, created: Interval) =>
    Effect.map(
      ofEach((cell) => salesOf(cell.sql, environment, created)),
      (rows) => rows.flat().map(hourOf)
    )

  const suppliers = (environment: Environment, created: Interval) =>
    readCells.pipe(
      Effect.flatMap((cells) =>
        Effect.forEach(cells, (cell) => {
          const settled = settledOf(cell.sql, environment, created)
          return cell.node === mainNode ? Effect.succeed(settled) : copiedFrom(sql, cell, settled)
        })
      ),
      Effect.flatMap((settled) => suppliersOf(sql, settled)),
      Effect.map((rows) => rows.map(supplierOf))
    )

  const open = (environment: Environment, now: DateTime.Utc) =>
    Effect.flatMap(companyFacts(sql), (facts) =>
      Effect.map(
        ofEach((cell) => openMatters(cell.sql, facts)(environment, now)),
        mergedMatters
      )
    )

  return PanoramaReads.of({
    environments,
    sales: (...wanted) => Effect.orDie(inPanoramaSnapshot(sql, sales(...wanted))),
    suppliers: (...wanted) => Effect.orDie(inPanoramaSnapshot(sql, suppliers(...wanted))),
    open: (...wanted) => Effect.orDie(inPanoramaSnapshot(sql, open(...wanted)))
  })
})

export const layer = Layer.effect(PanoramaReads, make)
