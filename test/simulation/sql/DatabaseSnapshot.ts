import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect } from "effect"
import { instantOrNull } from "../../../adapters/postgres/connection/Sql.ts"
import { orderOf, type SaleRow, saleColumns } from "../../../adapters/postgres/ledger/TransactionRow.ts"
import { type Balance, defaultLimits, type EntryType, type Limits } from "../../../core/domain/Account.ts"
import { Sequence, WebhookId } from "../../../core/domain/Event.ts"
import { checks } from "../../../core/domain/FollowUp.ts"
import { IdempotencyKey, TransactionId } from "../../../core/domain/Ids.ts"
import type { Invariant } from "../../../core/domain/Invariants.ts"
import { Centavos, zero } from "../../../core/domain/Money.ts"
import type { Status } from "../../../core/domain/Status.ts"
import type { DeliveryState } from "../../../core/domain/Webhook.ts"
import { Audit } from "../../../core/ports/Audit.ts"
import { Events } from "../../../core/ports/Events.ts"
import type { WebhookState } from "../../../core/ports/Webhooks.ts"
import type { FinalEvents, ObservedReversal, ObservedSale, OperatorEntry } from "../engine/Simulation.ts"
import { companies } from "../process/CompaniesAndCatalogue.ts"
import type { BackgroundLoop } from "../process/Store.ts"

/** The balance and limits of a company. */
export interface Money {
  readonly balance: Balance
  readonly limits: Limits
}

/** A snapshot of the database, by company. */
export interface DatabaseSnapshot {
  readonly money: ReadonlyMap<number, Money>
  readonly sales: ReadonlyMap<number, ReadonlyArray<ObservedSale>>
  readonly byHand: ReadonlyMap<number, ReadonlyArray<OperatorEntry>>
  readonly undecided: ReadonlyMap<number, ReadonlyArray<ObservedReversal>>
}

/** The empty snapshot that is used before the first read. */
export const emptySnapshot: DatabaseSnapshot = {
  money: new Map(),
  sales: new Map(),
  byHand: new Map(),
  undecided: new Map()
}

/** The balance and limits of a company without ledger entries. */
export const zeroMoney: Money = { balance: { available: zero, held: zero }, limits: defaultLimits }

interface OfCompany {
  readonly company_id: bigint
}

interface ObservedRow extends SaleRow {
  readonly idempotency_key: string
  readonly sold_on: string
  readonly bill_id: string | null
}

interface MoneyRow extends OfCompany {
  readonly available: bigint
  readonly held: bigint
  readonly limit_daily: bigint
  readonly limit_weekly: bigint
  readonly limit_monthly: bigint
}

interface EntryRow extends OfCompany {
  readonly type: EntryType
  readonly amount: bigint
  readonly reference: string | null
  readonly agreed: boolean
}

interface ReversalRow extends OfCompany {
  readonly xid: string
  readonly transaction_id: bigint
  readonly created_at: Date
}

const centavos = (value: bigint): Centavos => Centavos.make(Number(value))

const byCompany = <Row extends OfCompany, A>(
  rows: ReadonlyArray<Row>,
  of: (row: Row) => A
): ReadonlyMap<number, ReadonlyArray<A>> => {
  const all = new Map<number, Array<A>>()
  for (const row of rows) {
    const companyId = Number(row.company_id)
    const known = all.get(companyId) ?? []
    all.set(companyId, known)
    known.push(of(row))
  }
  return all
}

const saleOf = (row: ObservedRow): ObservedSale => ({
  order: orderOf(row),
  key: IdempotencyKey.make(row.idempotency_key),
  status: row.status as Status,
  day: row.sold_on,
  processedAt: instantOrNull(row.processed_at),
  billId: row.bill_id
})

const reversalOf = ({ created_at, transaction_id, xid }: ReversalRow): ObservedReversal => ({
  xid,
  createdAt: DateTime.fromDateUnsafe(created_at),
  transactionId: TransactionId.make(Number(transaction_id))
})

const moneyOf = (row: MoneyRow): Money => ({
  balance: { available: centavos(row.available), held: centavos(row.held) },
  limits: {
    daily: centavos(row.limit_daily),
    weekly: centavos(row.limit_weekly),
    monthly: centavos(row.limit_monthly)
  }
})

/** Reads balances, sales, unsettled reversals and the entries of operators. */
export const takeSnapshot = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const money = yield* sql<MoneyRow>`
    select company_id, available, held, limit_daily, limit_weekly, limit_monthly from all_cells.balance`
  const sales = yield* sql<ObservedRow>`
    select ${sql.literal(saleColumns())}, idempotency_key, day::text as sold_on, bill_id
    from all_cells.transaction
    order by id`
  const byHand = yield* sql<EntryRow>`
    select e.company_id, e.type, e.amount, e.reference, p.decided_by is distinct from p.proposed_by as agreed
    from all_cells.entry as e
    left join all_cells.funding_proposal as p on p.company_id = e.company_id and p.entry_id = e.id
    where e.transaction_id is null
    order by e.id`
  const undecided = yield* sql<ReversalRow>`
    select company_id, xid, transaction_id, created_at from all_cells.reversal where status in ('PROCESSING', 'PENDING') order by id`
  return {
    money: new Map(money.map((row) => [Number(row.company_id), moneyOf(row)])),
    sales: byCompany(sales, saleOf),
    byHand: byCompany(byHand, ({ amount, agreed, reference, type }) => ({
      type,
      amount: Number(amount),
      reference,
      agreed
    })),
    undecided: byCompany(undecided, reversalOf)
  } as DatabaseSnapshot
})

/** Runs the queries of `saldo audit` and returns the violated invariants. */
export const failedInvariants = Effect.gen(function* () {
  const audit = yield* Audit
  const examined = yield* audit.prove
  return examined.flatMap(
    ({ invariant, offenders, violations }): ReadonlyArray<{ invariant: Invariant; what: string }> =>
      violations === 0 ? [] : [{ invariant, what: JSON.stringify(offenders) }]
  )
})

interface DueRow {
  readonly recovery: Date | null
  readonly follow_up: Date | null
  readonly messages: Date | null
}

const instant_ms = (at: Date | null | undefined): number | null => at?.getTime() ?? null

/** Whether the company of a row is open. The work of a closed company pauses. */
const isOpen = (sql: PgClient.PgClient, table: string) =>
  sql.literal(`not exists (select from all_cells.balance as b where b.company_id = ${table}.company_id and b.closed)`)

/** The instants at which the background loops next have work. */
export const dueTimes = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<DueRow>`
    select
      (
        select min(greatest(ask_at, leased_until))
        from (
          select company_id, ask_at, leased_until from all_cells.transaction where status in ('PROCESSING', 'PENDING')
          union all
          select company_id, ask_at, leased_until from all_cells.reversal where status in ('PROCESSING', 'PENDING')
        ) as asked
        where ask_at is not null and ${isOpen(sql, "asked")}
      ) as recovery,
      (
        select min(greatest(t.processed_at + c.hours * interval '1 hour', f.leased_until))
        from unnest(array[${sql.literal(checks.map(({ hours }) => hours).join())}]) as c(hours)
        join directory.cell as d on d.state = 'open'
        left join all_cells.follow_up as f on f.hours = c.hours and f.cell = d.name
        cross join lateral (
          select t.processed_at
          from all_cells.transaction as t
          where t.cell = d.name
            and t.environment = 'production'
            and t.status in ('SUCCESS', 'FAILED')
            and (t.processed_at, t.id) > (coalesce(f.settled_at, '-infinity'), coalesce(f.transaction_id, 0))
          order by t.processed_at
          limit 1
        ) as t
      ) as follow_up,
      (
        select min(greatest(send_at, leased_until))
        from all_cells.sms as m
        where status = 'staged' and ${isOpen(sql, "m")}
      ) as messages`
  return {
    recovery: instant_ms(row?.recovery),
    "follow-up": instant_ms(row?.follow_up),
    messages: instant_ms(row?.messages)
  } satisfies Omit<Record<BackgroundLoop, number | null>, "deliveries">
})

/**
 * When the next delivery may be claimed. A webhook whose attempts fail gets one delivery at a time, so its other
 * deliveries wait for the end of the lease.
 */
export const deliveryDueTime = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ deliveries: Date | null }>`
    select min(greatest(d.due_at, d.leased_until)) as deliveries
    from (
      select w.company_id, w.id, w.failing_since is not null and exists (
        select from all_cells.delivery as d
        where d.company_id = w.company_id and d.webhook_id = w.id and d.state = 'pendiente'
          and d.leased_until is not null
      ) as is_sending
      from all_cells.webhook as w
      where w.state = 'activo' and ${isOpen(sql, "w")}
    ) as w
    join all_cells.delivery as d on d.company_id = w.company_id and d.webhook_id = w.id
    where d.state = 'pendiente' and (not w.is_sending or d.leased_until is not null)`
  return instant_ms(row?.deliveries)
})

interface DeliveryRow extends OfCompany {
  readonly webhook_id: bigint
  readonly sequence: bigint
  readonly state: DeliveryState
  readonly webhook_state: WebhookState
}

const eventsRead_max = 10_000

/** Reads all events through the port, and all deliveries. */
export const readFinalEvents = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const port = yield* Events
  const all = { after: Sequence.make(0), limit: eventsRead_max }
  const read = yield* Effect.forEach(companies, ({ id }) => port.list(id, all))
  const deliveries = yield* sql<DeliveryRow>`
    select d.company_id, d.webhook_id, d.sequence, d.state, w.state as webhook_state
    from all_cells.delivery as d
    join all_cells.webhook as w on w.company_id = d.company_id and w.id = d.webhook_id`
  return {
    events: read.flatMap(({ events }) => events),
    deliveries: deliveries.map((row) => ({
      companyId: Number(row.company_id),
      webhookId: WebhookId.make(Number(row.webhook_id)),
      sequence: Sequence.make(Number(row.sequence)),
      state: row.state,
      webhookState: row.webhook_state
    }))
  } satisfies FinalEvents
})
