import { PgClient, PgTypes } from "@effect/sql-pg"
import { DateTime, Duration, Effect, Layer, Option, type Redacted, Schedule, Stream } from "effect"
import { type CompanyEvent, Sequence, WebhookId } from "../../../core/domain/Event.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { frozenAt } from "../../../core/domain/Page.ts"
import { type WebhookSecret, WebhookUrl } from "../../../core/domain/Webhook.ts"
import { type ClaimedDelivery, Deliveries, type Delivery, type DeliveryState } from "../../../core/ports/Deliveries.ts"
import { PoolSize } from "../connection/Database.ts"
import { instant, instantOrNull, int8 } from "../connection/Sql.ts"
import { queueTransactions, recording } from "./DeliveryResults.ts"
import { type EventRow, eventColumns, eventReader, eventType } from "./EventRows.ts"
import { secrets } from "./WebhooksPostgres.ts"

/** The columns of a claimed delivery: its event and its webhook. */
interface ClaimedRow extends EventRow {
  readonly attempts: number
  readonly is_first: boolean
  readonly to_id: bigint
  readonly url: string
  readonly secret: Uint8Array
  readonly previous_secret: Uint8Array | null
  readonly failing_since: Date | null
}

/** The columns of a delivery. */
export interface DeliveryRow {
  readonly company_id: bigint
  readonly webhook_id: bigint
  readonly sequence: bigint
  readonly type: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly http_status: number | null
  readonly error: string | null
  readonly duration_ms: number | null
  readonly created_at: Date
  readonly due_at: Date
}

export const deliveryOf = (row: DeliveryRow): Delivery => ({
  companyId: CompanyId.make(Number(row.company_id)),
  webhookId: WebhookId.make(Number(row.webhook_id)),
  sequence: Sequence.make(Number(row.sequence)),
  type: eventType(row.type),
  state: row.state,
  attempts: row.attempts,
  httpStatus: row.http_status,
  error: row.error,
  duration_ms: row.duration_ms,
  createdAt: DateTime.fromDateUnsafe(row.created_at),
  nextAttempt: row.state === "pendiente" ? DateTime.fromDateUnsafe(row.due_at) : null
})

const claiming = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const inTransaction = queueTransactions(sql)
  const { opened } = yield* secrets
  const read = eventReader(sql)

  const secretsOf = Effect.fnUntraced(function* (
    row: ClaimedRow
  ): Effect.fn.Return<ReadonlyArray<Redacted.Redacted<WebhookSecret>>> {
    const current = yield* opened(row.company_id, row.to_id, row.secret)
    return row.previous_secret === null
      ? [current]
      : [current, yield* opened(row.company_id, row.to_id, row.previous_secret)]
  })

  const claimedOf = Effect.fnUntraced(function* (row: ClaimedRow, event: CompanyEvent, leasedUntil: DateTime.Utc) {
    const webhook = {
      id: WebhookId.make(Number(row.to_id)),
      url: WebhookUrl.make(row.url),
      secrets: yield* secretsOf(row),
      failingSince: instantOrNull(row.failing_since)
    }
    const { attempts, is_first: isFirst } = row
    return [{ webhook, event, attempts, isFirst, leasedUntil } satisfies ClaimedDelivery]
  })

  // If the webhook's secret cannot be decrypted, the delivery stays leased and does not delay other deliveries.
  const readable = (row: ClaimedRow, event: CompanyEvent, leasedUntil: DateTime.Utc) =>
    Effect.catchDefect(claimedOf(row, event, leasedUntil), () =>
      Effect.as(Effect.logError("the secret of a webhook cannot be decrypted", { webhookId: Number(row.to_id) }), [])
    )

  // Visits only webhooks with a waiting delivery, by jumping through the index from one webhook to the next. The webhook
  // that has waited longest comes first, and no delivery beyond the limit is locked. Claims only one delivery at a time
  // for a webhook whose attempts fail. Skips deliveries that another worker has locked or leased. Recording a result ends
  // the lease. An expired lease means that a worker died before it recorded a result.
  const claim: Deliveries["Service"]["claim"] = Effect.fnUntraced(function* ({ busy, lease, limit, now, perWebhook }) {
    const at = instant(now)
    // An object, because a join with a list would compare each webhook with each entry.
    const sending = PgTypes.jsonb(Object.fromEntries(busy))
    const leasedUntil = DateTime.addDuration(now, lease)
    const leasing = sql<ClaimedRow>`
      with recursive waiting as (
        (
          select d.company_id, d.webhook_id, d.due_at
          from cell.delivery as d
          where d.state = 'pendiente'
          order by d.company_id, d.webhook_id, d.due_at, d.sequence
          limit 1
        )
        union all
        select later.company_id, later.webhook_id, later.due_at
        from waiting as q
        cross join lateral (
          select d.company_id, d.webhook_id, d.due_at
          from cell.delivery as d
          where d.state = 'pendiente' and (d.company_id, d.webhook_id) > (q.company_id, q.webhook_id)
          order by d.company_id, d.webhook_id, d.due_at, d.sequence
          limit 1
        ) as later
      ),
      receiver as materialized (
        select company_id, webhook_id
        from waiting
        where due_at <= ${at}
        order by due_at
      ),
      due as materialized (
        select w.company_id, w.id, w.url, w.secret, w.failing_since, d.sequence,
          case when w.previous_until > ${at} then w.previous_secret end as previous_secret
        from receiver as q
        join cell.webhook as w on w.company_id = q.company_id and w.id = q.webhook_id
        cross join lateral (
          select d.sequence
          from cell.delivery as d
          where d.company_id = w.company_id
            and d.webhook_id = w.id
            and d.state = 'pendiente'
            and d.due_at <= ${at}
            and (d.leased_until is null or d.leased_until <= ${at})
          order by d.due_at, d.sequence
          limit greatest(case when w.failing_since is null then ${perWebhook}::int else 1 end - coalesce((${sending} ->> w.id::text)::int, 0), 0)
          for update skip locked
        ) as d
        where w.state = 'activo'
        limit ${limit}
      )
      update cell.delivery as d
      set leased_until = ${instant(leasedUntil)}
      from due
      join cell.event as e on e.company_id = due.company_id and e.sequence = due.sequence
      where d.company_id = due.company_id and d.webhook_id = due.id and d.sequence = due.sequence
      returning
        ${sql.literal(eventColumns)}, d.attempts, d.attempts = 0 and d.due_at = d.created_at as is_first,
        due.id as to_id, due.url, due.secret, due.previous_secret, due.failing_since`
    const rows = yield* inTransaction(leasing)
    if (rows.length === 0) return []
    const events = yield* inTransaction(read(rows, sql))
    const claimedAt = (event: CompanyEvent, index: number) => {
      const row = rows[index]
      return row === undefined ? Effect.succeed([]) : readable(row, event, leasedUntil)
    }
    // Concurrently, because each decryption waits for a thread.
    return (yield* Effect.forEach(events, claimedAt, { concurrency: "unbounded" })).flat()
  }, Effect.orDie)
  return claim
})

const channel = "deliveries"

/**
 * Minimum size of a pool that spends a connection on listening for deliveries. Two other connections listen for changes
 * of tokens and of the catalogue, and at least two are left for sales and claims. In a smaller pool, workers look for
 * due deliveries only twice a second.
 */
const listeningPool_min = 5

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const notifications = Stream.unwrap(Effect.map(sql.listen(channel), Stream.fromQueue)).pipe(
    Stream.map((): void => undefined),
    Stream.tapError((error) =>
      Effect.logWarning("the listening connection was lost; connecting again", { channel, error: error.message })
    ),
    Stream.retry(Schedule.spaced(Duration.seconds(1))),
    Stream.orDie
  )
  const arrivals = (yield* PoolSize) < listeningPool_min ? Stream.never : notifications

  const test: Deliveries["Service"]["test"] = Effect.fnUntraced(function* (companyId, id, at) {
    const [row] = yield* sql<{ reached: bigint | null }>`
      select cell.test_webhook(${int8(companyId)}, ${int8(id)}, ${instant(at)}) as reached`
    return Option.map(Option.fromNullishOr(row?.reached), (reached) => Sequence.make(Number(reached)))
  }, Effect.orDie)

  const list: Deliveries["Service"]["list"] = Effect.fnUntraced(function* (companyId, id, filter, { page, perPage }) {
    const { state, upTo } = filter
    const ofWebhook = sql`d.company_id = ${int8(companyId)} and d.webhook_id = ${int8(id)}`
    const wanted = sql.and([
      ofWebhook,
      ...(state === undefined ? [] : [sql`d.state = ${state}`]),
      ...(upTo === undefined ? [] : [sql`d.sequence <= ${int8(upTo)}`])
    ])
    const rows = yield* sql<{ total: bigint; newest: bigint } & (DeliveryRow | { readonly sequence: null })>`
      select whole.total, whole.newest, shown.*
      from (
        select
          (select count(*) from cell.delivery as d where ${wanted}) as total,
          (select coalesce(max(d.sequence), 0) from cell.delivery as d where ${ofWebhook}) as newest
      ) as whole
      left join (
        select d.company_id, d.webhook_id, d.sequence, e.type, d.state, d.attempts, d.http_status, d.error, d.duration_ms,
          d.created_at, d.due_at
        from cell.delivery as d
        join cell.event as e on e.company_id = d.company_id and e.sequence = d.sequence
        where ${wanted}
        order by d.sequence desc
        limit ${perPage}
        offset ${(page - 1) * perPage}
      ) as shown on true
      order by shown.sequence desc`
    return {
      items: rows.flatMap((row) => (row.sequence === null ? [] : [deliveryOf(row)])),
      total: Number(rows[0]?.total ?? 0),
      upTo: frozenAt(filter, Number(rows[0]?.newest ?? 0))
    }
  }, Effect.orDie)

  const replay: Deliveries["Service"]["replay"] = Effect.fnUntraced(function* (companyId, id, wanted, at) {
    const spans =
      "sequence" in wanted
        ? sql`e.sequence = ${int8(wanted.sequence)}`
        : sql`
          e.created_at >= ${instant(wanted.since)}
          ${wanted.until === null ? sql.literal("") : sql`and date_trunc('second', e.created_at) <= ${instant(wanted.until)}`}
          and (
            not ${wanted.onlyFailed}
            or exists (
              select
              from cell.delivery as d
              where d.company_id = e.company_id
                and d.webhook_id = ${int8(id)}
                and d.sequence = e.sequence
                and d.state = 'fallida'
            )
          )`
    const rows = yield* sql<{ sequence: bigint }>`
      insert into cell.delivery (company_id, webhook_id, sequence, due_at, created_at)
      select e.company_id, w.id, e.sequence, ${instant(at)}, e.created_at
      from cell.webhook as w
      join cell.event as e on e.company_id = w.company_id
      where w.company_id = ${int8(companyId)}
        and w.id = ${int8(id)}
        and (e.webhook_id is null or e.webhook_id = w.id)
        and ${spans}
      -- A webhook that is being deleted gets no more deliveries.
      for key share of w
      on conflict (company_id, webhook_id, sequence) do update
      set state = 'pendiente', attempts = 0, due_at = excluded.due_at, leased_until = null
      returning sequence`
    if (rows.length > 0) yield* sql`select pg_notify(${channel}, '')`
    return rows.length
  }, Effect.orDie)

  return Deliveries.of({ claim: yield* claiming, record: yield* recording, arrivals, test, list, replay })
})

/** `Deliveries` in Postgres. */
export const layer = Layer.effect(Deliveries, make)
