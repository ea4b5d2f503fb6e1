import { DateTime, Effect, Order } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Environment } from "../../../core/domain/Company.ts"
import { CompanyId, TransactionId } from "../../../core/domain/Ids.ts"
import { dayOf, daysBefore, startOfDay } from "../../../core/domain/LocalTime.ts"
import { Centavos } from "../../../core/domain/Money.ts"
import {
  ageBands_s,
  type Beginning,
  type HeldMoney,
  type LastClosing,
  type LowBalance,
  type OldestPending,
  type OpenMatters,
  type TroubledWebhook
} from "../../../core/domain/Panorama.ts"
import type { CellSql } from "../connection/Cell.ts"
import { instant, instantOrNull } from "../connection/Sql.ts"
import type { CompanyFacts } from "./CompanyFacts.ts"

/** How many companies and webhooks are listed. The totals count all. */
const listed_max = 20

interface BandRow {
  readonly band: number
  readonly sales: number
  readonly held: bigint
}

interface OldestRow {
  readonly company_id: bigint
  readonly transaction_id: bigint
  readonly about: OldestPending["about"]
  readonly since: Date
}

interface LowBalanceRow {
  readonly total: number
  readonly company_id: bigint
  readonly available: bigint
  readonly alert: bigint
}

interface WebhookRow {
  readonly total: number
  readonly company_id: bigint
  readonly webhook_id: bigint
  readonly url: string
  readonly disabled: boolean
  readonly failing_since: Date | null
  readonly oldest_due: Date | null
}

const oldestOf = ({ about, company_id, since, transaction_id }: OldestRow): OldestPending => ({
  companyId: CompanyId.make(Number(company_id)),
  transactionId: TransactionId.make(Number(transaction_id)),
  about,
  since: DateTime.fromDateUnsafe(since)
})

const lowBalanceOf = ({ alert, available, company_id }: LowBalanceRow, name: string): LowBalance => ({
  companyId: CompanyId.make(Number(company_id)),
  name,
  available: Centavos.make(Number(available)),
  alert: Centavos.make(Number(alert))
})

const webhookOf = (row: WebhookRow, companyName: string): TroubledWebhook => ({
  companyId: CompanyId.make(Number(row.company_id)),
  companyName,
  webhookId: Number(row.webhook_id),
  url: row.url,
  disabled: row.disabled,
  failingSince: instantOrNull(row.failing_since),
  oldestDue: instantOrNull(row.oldest_due)
})

/** Reads the rows of a list with their total, and adds the name of each company. */
const beginningOf = Effect.fnUntraced(function* <
  Row extends { readonly total: number; readonly company_id: bigint },
  A
>({ names }: CompanyFacts, reading: Effect.Effect<ReadonlyArray<Row>, SqlError>, item: (row: Row, name: string) => A) {
  const rows = yield* reading
  const nameOf = rows.length === 0 ? new Map<bigint, string>() : yield* names(rows.map((row) => row.company_id))
  return {
    total: rows[0]?.total ?? 0,
    items: rows.map((row) => item(row, nameOf.get(row.company_id) ?? ""))
  } satisfies Beginning<A>
})

/** Reads held money. Partial indexes contain only the unresolved sales and reversals. */
const heldMoney = (sql: CellSql) => {
  const bands = (environment: Environment, now: DateTime.Utc) => sql<BandRow>`
    select
      width_bucket(
        greatest(0, date_part('epoch', ${instant(now)} - t.created_at)), array[${sql.literal(ageBands_s.join(", "))}]::float8[]
      ) - 1 as band,
      count(*)::int as sales,
      sum(t.amount)::bigint as held
    from ${sql.cell}.transaction as t
    where t.status in ('PROCESSING', 'PENDING') and t.environment = ${environment}
    group by 1`

  const reversals = (environment: Environment) => sql<{ reversals: number }>`
    select count(*)::int as reversals
    from ${sql.cell}.reversal as v
    join ${sql.cell}.transaction as t on t.company_id = v.company_id and t.id = v.transaction_id
    where v.status in ('PROCESSING', 'PENDING') and t.environment = ${environment}`

  const oldest = (environment: Environment) => sql<OldestRow>`
    select company_id, transaction_id, about, since
    from (
      select company_id, id as transaction_id, 'sale' as about, created_at as since
      from ${sql.cell}.transaction
      where status in ('PROCESSING', 'PENDING') and environment = ${environment}
      union all
      select v.company_id, v.transaction_id, 'reversal', v.created_at
      from ${sql.cell}.reversal as v
      join ${sql.cell}.transaction as t on t.company_id = v.company_id and t.id = v.transaction_id
      where v.status in ('PROCESSING', 'PENDING') and t.environment = ${environment}
    ) as o
    order by since, transaction_id
    limit 1`

  return Effect.fnUntraced(function* (environment: Environment, now: DateTime.Utc) {
    const rows = yield* bands(environment, now)
    const [reversed] = yield* reversals(environment)
    const first = (yield* oldest(environment)).map(oldestOf)
    return {
      bands: ageBands_s.map((from_s, band) => {
        const row = rows.find((each) => each.band === band)
        return { from_s, sales: row?.sales ?? 0, held: Centavos.make(Number(row?.held ?? 0)) }
      }),
      reversals: reversed?.reversals ?? 0,
      oldest: first[0] ?? null
    } satisfies HeldMoney
  })
}

/** Reads what needs the operator's attention. */
export const openMatters = (sql: CellSql, facts: CompanyFacts) => {
  const held = heldMoney(sql)

  // Reads one row for each company, as VitalSignsPostgres.ts explains.
  const lowBalances = (environment: Environment) => sql<LowBalanceRow>`
    select
      count(*) over ()::int as total,
      b.company_id,
      b.available,
      b.low_balance_alert as alert
    from ${sql.cell}.balance as b
    where b.available < b.low_balance_alert
      and ${facts.isActive(sql`b.company_id`)}
      and ${facts.isOf(environment, sql`b.company_id`)}
    order by b.low_balance_alert - b.available desc, b.company_id
    limit ${listed_max}`

  const webhooks = (environment: Environment) => sql<WebhookRow>`
    select
      count(*) over ()::int as total,
      w.company_id,
      w.id as webhook_id,
      w.url,
      w.state = 'desactivado' as disabled,
      w.failing_since,
      (
        select min(d.due_at)
        from ${sql.cell}.delivery as d
        where d.company_id = w.company_id and d.webhook_id = w.id and d.state = 'pendiente'
      ) as oldest_due
    from ${sql.cell}.webhook as w
    where ${facts.isOf(environment, sql`w.company_id`)}
      and (w.state = 'desactivado' or (w.state = 'activo' and w.failing_since is not null))
    order by w.state, w.failing_since, w.company_id, w.id
    limit ${listed_max}`

  // Reads the first waiting delivery of each webhook by the index of waiting deliveries.
  const oldestDelivery = (environment: Environment, now: DateTime.Utc) => sql<{ oldest: Date | null }>`
    select min(d.due_at) as oldest
    from ${sql.cell}.webhook as w
    cross join lateral (
      select q.due_at
      from ${sql.cell}.delivery as q
      where q.company_id = w.company_id and q.webhook_id = w.id and q.state = 'pendiente' and q.due_at <= ${instant(now)}
      order by q.due_at
      limit 1
    ) as d
    where ${facts.isOf(environment, sql`w.company_id`)} and w.state = 'activo'`

  // Reads the last closing and the first entry of each company. The daily closings of a company begin with the day of its
  // first entry.
  const closing = (environment: Environment, now: DateTime.Utc) => {
    const today = dayOf(now)
    return sql<LastClosing>`
      select
        to_char(max(l.day), 'FMYYYY-MM-DD') as day,
        count(*) filter (where l.day >= ${daysBefore(today, 1)}::date)::int as closed,
        count(*) filter (
          where coalesce(l.day, '-infinity') < ${daysBefore(today, 1)}::date and f.created_at < ${instant(startOfDay(today))}
        )::int as unclosed
      from ${sql.cell}.balance as b
      left join lateral (
        select q.day from ${sql.cell}.closing as q where q.company_id = b.company_id order by q.day desc limit 1
      ) as l on true
      left join lateral (
        select e.created_at from ${sql.cell}.entry as e where e.company_id = b.company_id order by e.id limit 1
      ) as f on true
      where ${facts.isOf(environment, sql`b.company_id`)}`
  }

  return Effect.fnUntraced(function* (environment: Environment, now: DateTime.Utc) {
    const [closed = { day: null, closed: 0, unclosed: 0 }] = yield* closing(environment, now)
    const [delivery] = yield* oldestDelivery(environment, now)
    return {
      oldestDelivery: instantOrNull(delivery?.oldest ?? null),
      closing: closed,
      held: yield* held(environment, now),
      lowBalances: yield* beginningOf(facts, lowBalances(environment), lowBalanceOf),
      webhooks: yield* beginningOf(facts, webhooks(environment), webhookOf)
    } satisfies OpenMatters
  })
}

const mergedHeld = (parts: ReadonlyArray<HeldMoney>): HeldMoney => {
  const sumOf = (value: (part: HeldMoney) => number): number => parts.reduce((sum, part) => sum + value(part), 0)
  return {
    bands: ageBands_s.map((from_s, band) => ({
      from_s,
      sales: sumOf(({ bands }) => bands[band]?.sales ?? 0),
      held: Centavos.make(sumOf(({ bands }) => bands[band]?.held ?? 0))
    })),
    reversals: sumOf(({ reversals }) => reversals),
    oldest: parts.flatMap(({ oldest }) => oldest ?? []).sort(oldestFirst)[0] ?? null
  }
}

const oldestFirst = Order.mapInput(DateTime.Order, ({ since }: OldestPending) => since)

/** Merges the lists of the cells, and keeps at most `listed_max` items. */
const mergedBeginning = <A>(lists: ReadonlyArray<Beginning<A>>, order: Order.Order<A>): Beginning<A> => ({
  total: lists.reduce((sum, { total }) => sum + total, 0),
  items: lists
    .flatMap(({ items }) => items)
    .sort(order)
    .slice(0, listed_max)
})

const mostMissing: Order.Order<LowBalance> = Order.combine(
  Order.mapInput(Order.Number, ({ alert, available }: LowBalance) => available - alert),
  Order.mapInput(Order.Number, ({ companyId }: LowBalance) => companyId)
)

const longestFailing: Order.Order<TroubledWebhook> = Order.combineAll<TroubledWebhook>([
  Order.mapInput(Order.Boolean, ({ disabled }) => disabled),
  Order.mapInput(Order.Number, ({ failingSince }) =>
    failingSince === null ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(failingSince)
  ),
  Order.mapInput(Order.Number, ({ companyId }) => companyId),
  Order.mapInput(Order.Number, ({ webhookId }) => webhookId)
])

/** Merges the open matters of the cells. */
export const mergedMatters = (parts: ReadonlyArray<OpenMatters>): OpenMatters => {
  const closings = parts.map(({ closing }) => closing)
  return {
    held: mergedHeld(parts.map(({ held }) => held)),
    lowBalances: mergedBeginning(
      parts.map(({ lowBalances }) => lowBalances),
      mostMissing
    ),
    webhooks: mergedBeginning(
      parts.map(({ webhooks }) => webhooks),
      longestFailing
    ),
    oldestDelivery: parts.flatMap(({ oldestDelivery }) => oldestDelivery ?? []).sort(DateTime.Order)[0] ?? null,
    closing: {
      day:
        closings
          .flatMap(({ day }) => day ?? [])
          .sort()
          .at(-1) ?? null,
      closed: closings.reduce((sum, { closed }) => sum + closed, 0),
      unclosed: closings.reduce((sum, { unclosed }) => sum + unclosed, 0)
    }
  }
}
