import { PgClient } from "@effect/sql-pg"
import { DateTime, Duration, Effect, Layer } from "effect"
import { type LateOutcome, lateOutcomes } from "../../../core/domain/AuditAction.ts"
import type { Environment } from "../../../core/domain/Company.ts"
import { startOfDay } from "../../../core/domain/LocalTime.ts"
import { Centavos } from "../../../core/domain/Money.ts"
import {
  type DueDeliveries,
  type UnresolvedReversals,
  type UnresolvedSales,
  VitalSigns
} from "../../../core/ports/VitalSigns.ts"
import { type CellSql, everyCellPlace, type NamedCell } from "../connection/Cell.ts"
import { mainNode } from "../connection/Nodes.ts"
import { instant } from "../connection/Sql.ts"
import { isLockTimeout, isLost } from "../connection/SqlFailure.ts"
import { type CompanyFacts, companyFacts } from "./CompanyFacts.ts"

/** How long an undelivered SMS stays in the health metrics. */
const undeliveredSmsWindow = Duration.hours(24)

/** How long a contradicting provider answer stays in the health metrics. */
const lateOutcomeWindow = Duration.hours(1)

/** How many due deliveries are counted for each webhook. A longer queue takes no longer to read. */
const counted_max = 1000

interface UnresolvedRow {
  readonly environment: Environment
  readonly status: UnresolvedSales["status"]
  readonly sales: number
  readonly held: bigint
  readonly oldest: Date
}

const unresolvedOf = ({ held, oldest, ...row }: UnresolvedRow): Omit<UnresolvedSales, "cell"> => ({
  ...row,
  held: Centavos.make(Number(held)),
  oldest: DateTime.fromDateUnsafe(oldest)
})

interface UnresolvedReversalRow extends Omit<UnresolvedReversals, "oldest"> {
  readonly oldest: Date
}

interface DueDeliveriesRow extends Omit<DueDeliveries, "oldest"> {
  readonly oldest: Date
}

/** The row with its instant as a DateTime. */
const withInstant = <Row extends { readonly oldest: Date }>({ oldest, ...row }: Row) => ({
  ...row,
  oldest: DateTime.fromDateUnsafe(oldest)
})

const startOf = (day: string | null): DateTime.Utc | null => (day === null ? null : startOfDay(day))

/** Reads the deliveries that wait, and the disabled webhooks. */
const webhooksOf = (sql: CellSql, { environmentOf }: CompanyFacts, now: DateTime.Utc) => {
  const environment = environmentOf(sql`w.company_id`)

  // Reads the beginning of the queue of each active webhook by the index of waiting deliveries.
  const due = sql<DueDeliveriesRow>`
    select ${environment} as environment, w.failing_since is not null as failing, sum(d.deliveries)::int as deliveries,
      min(d.oldest) as oldest
    from ${sql.cell}.webhook as w
    cross join lateral (
      select count(*) as deliveries, min(q.due_at) as oldest
      from (
        select q.due_at
        from ${sql.cell}.delivery as q
        where q.company_id = w.company_id
          and q.webhook_id = w.id
          and q.state = 'pendiente'
          and q.due_at <= ${instant(now)}
        order by q.due_at
        limit ${counted_max}
      ) as q
    ) as d
    where w.state = 'activo' and d.deliveries > 0
    group by 1, 2`

  const disabled = sql<{ environment: Environment; webhooks: number }>`
    select ${environment} as environment, count(*)::int as webhooks
    from ${sql.cell}.webhook as w
    where w.state = 'desactivado'
    group by 1`

  return Effect.gen(function* () {
    return { dueDeliveries: (yield* due).map(withInstant), disabledWebhooks: yield* disabled }
  })
}

/** Reads the measurements of one cell. */
const vitalsOf = ({ name, sql }: NamedCell, facts: CompanyFacts, now: DateTime.Utc) => {
  // The next three queries use partial indexes, which contain only unresolved or undelivered rows.
  const unresolved = sql<UnresolvedRow>`
    select environment, status, count(*)::int as sales, sum(amount)::bigint as held, min(created_at) as oldest
    from ${sql.cell}.transaction
    where status in ('PROCESSING', 'PENDING')
    group by environment, status`

  const unresolvedReversals = sql<UnresolvedReversalRow>`
    select t.environment, count(*)::int as reversals, min(v.created_at) as oldest
    from ${sql.cell}.reversal as v
    join ${sql.cell}.transaction as t on t.company_id = v.company_id and t.id = v.transaction_id
    where v.status in ('PROCESSING', 'PENDING')
    group by t.environment`

  const undeliveredSms = sql<{ environment: Environment; messages: number }>`
    select environment, count(*)::int as messages
    from ${sql.cell}.sms
    where status in ('failed', 'unknown') and created_at > ${instant(DateTime.subtractDuration(now, undeliveredSmsWindow))}
    group by environment`

  // Reads one row for each company. An index on the balance would slow down every sale and cost more in total.
  const lowBalances = sql<{ environment: Environment; companies: number }>`
    select ${facts.environmentOf(sql`b.company_id`)} as environment, count(*)::int as companies
    from ${sql.cell}.balance as b
    where b.available < b.low_balance_alert and ${facts.isActive(sql`b.company_id`)}
    group by 1`

  // Reads two index entries for each company.
  const closedUntil = sql<{ day: string | null }>`
    select min(coalesce(c.day, e.day))::text as day
    from ${sql.cell}.balance as b
    left join lateral (
      select c.day + 1 as day from ${sql.cell}.closing as c where c.company_id = b.company_id order by c.day desc limit 1
    ) as c on true
    left join lateral (
      select ${sql.cell}.local_day(e.created_at) as day
      from ${sql.cell}.entry as e
      where e.company_id = b.company_id
      order by e.id
      limit 1
    ) as e on true`

  return Effect.gen(function* () {
    return {
      unresolved: (yield* unresolved).map((row) => ({ ...unresolvedOf(row), cell: name })),
      unresolvedReversals: (yield* unresolvedReversals).map(withInstant),
      undeliveredSms: yield* undeliveredSms,
      lowBalances: yield* lowBalances,
      ...(yield* webhooksOf(sql, facts, now)),
      closedUntil: (yield* closedUntil).flatMap(({ day }) => (day === null ? [] : [day]))
    }
  })
}

/**
 * Reads the measurements of a cell. Returns only the cell's name if the cell is locked, or if its node does
 * not answer.
 */
const orDown = <A, E, R>(
  vitals: Effect.Effect<A, E, R>,
  { name, node }: { readonly name: string; readonly node: string }
) =>
  Effect.catchIf(
    vitals,
    (error) => isLockTimeout(error) || (node !== mainNode && isLost(error)),
    () => Effect.succeed(name)
  )

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const readCells = yield* everyCellPlace

  // A partial index contains only these actions. The server's role may read no other rows of the audit log.
  const late = (since: DateTime.Utc) => sql<{ kind: LateOutcome; outcomes: number }>`
    select action as kind, count(*)::int as outcomes
    from directory.audit_event
    where action in ${sql.in(lateOutcomes)} and at > ${instant(since)}
    group by action`

  const connections = sql<{ state: string; connections: number }>`
    select coalesce(state, 'unknown') as state, count(*)::int as connections
    from pg_stat_activity
    where datname = current_database() and application_name = 'saldo'
    group by 1`

  // Every role may read this view. After archiving was turned off, the view still shows the failures from before.
  const archive = sql<{ failing: boolean }>`
    select
      current_setting('archive_mode') <> 'off'
        and last_failed_time is not null
        and (last_archived_time is null or last_failed_time > last_archived_time) as failing
    from pg_stat_archiver`

  const read = Effect.gen(function* () {
    const now = yield* DateTime.now
    const cells = yield* readCells
    const facts = yield* companyFacts(sql)
    const read = yield* Effect.forEach(cells, (place) =>
      orDown(
        Effect.flatMap(place.connected, (cell) => vitalsOf(cell, facts, now)),
        place
      )
    )
    const vitals = read.flatMap((each) => (typeof each === "string" ? [] : [each]))
    const [closedUntil = null] = vitals.flatMap((each) => each.closedUntil).sort()
    return {
      cells: cells.map(({ name }) => name),
      cellsDown: read.filter((each) => typeof each === "string"),
      unresolved: vitals.flatMap((each) => each.unresolved),
      unresolvedReversals: vitals.flatMap((each) => each.unresolvedReversals),
      undeliveredSms: vitals.flatMap((each) => each.undeliveredSms),
      lateOutcomes: yield* late(DateTime.subtractDuration(now, lateOutcomeWindow)),
      lowBalances: vitals.flatMap((each) => each.lowBalances),
      dueDeliveries: vitals.flatMap((each) => each.dueDeliveries),
      disabledWebhooks: vitals.flatMap((each) => each.disabledWebhooks),
      closedUntil: startOf(closedUntil),
      connections: yield* connections,
      archiveFailing: (yield* archive).some(({ failing }) => failing)
    }
  }).pipe(Effect.orDie)

  return VitalSigns.of({ read })
})

export const layer = Layer.effect(VitalSigns, make)
