import { PgTypes } from "@effect/sql-pg"
import { Array as Arr, DateTime, Effect } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { type CompanyEvent, WebhookId } from "../../../core/domain/Event.ts"
import { WebhookUrl } from "../../../core/domain/Webhook.ts"
import type { ClaimedDelivery, Deliveries, DeliveryClaim } from "../../../core/ports/Deliveries.ts"
import { type CellSql, cellClient, isOpen } from "../connection/Cell.ts"
import { instant, instantOrNull, int8 } from "../connection/Sql.ts"
import { type EventRow, eventColumns, eventReader, keyOf } from "./EventRows.ts"
import { queueTransactions } from "./QueueTransactions.ts"
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

/** The last webhook that a claim visited. The next claim begins after this webhook, so no webhook waits for ever. */
interface Position {
  readonly companyId: bigint
  readonly webhookId: bigint
}

const beginning: Position = { companyId: 0n, webhookId: 0n }

const isLater = (one: Position, other: Position): boolean =>
  one.companyId === other.companyId ? one.webhookId > other.webhookId : one.companyId > other.companyId

/** The last webhook with one of these deliveries. */
const lastOf = (rows: ReadonlyArray<ClaimedRow>): Position =>
  rows
    .map(({ company_id, to_id }) => ({ companyId: company_id, webhookId: to_id }))
    .reduce((last, position) => (isLater(position, last) ? position : last), beginning)

/**
 * The statement that leases at most `limit` due deliveries, of the webhooks after a position in the index.
 *
 * `waiting` has only webhooks with a pending delivery: the statement jumps in the index from one webhook to the next.
 * Postgres computes only as many rows of `waiting` as the limit needs, and locks no delivery beyond the limit. While the
 * attempts of a webhook fail, the statement claims only one of the webhook's deliveries at a time. The statement skips
 * deliveries that another worker has locked or leased. Recording a result ends the lease. An expired lease means that a
 * worker died before it recorded a result.
 */
const leasing = (
  sql: CellSql,
  { busy, limit, now, perWebhook }: DeliveryClaim,
  leasedUntil: DateTime.Utc,
  { companyId, webhookId }: Position
) => {
  const at = instant(now)
  // An object instead of a list, because a join with a list would compare each webhook with each entry.
  const sending = PgTypes.jsonb(Object.fromEntries(busy))
  return sql<ClaimedRow>`
    with recursive waiting as (
      (
        select d.company_id, d.webhook_id, d.due_at
        from ${sql.cell}.delivery as d
        where d.state = 'pendiente' and (d.company_id, d.webhook_id) > (${int8(companyId)}, ${int8(webhookId)})
        order by d.company_id, d.webhook_id, d.due_at, d.sequence
        limit 1
      )
      union all
      select later.company_id, later.webhook_id, later.due_at
      from waiting as q
      cross join lateral (
        select d.company_id, d.webhook_id, d.due_at
        from ${sql.cell}.delivery as d
        where d.state = 'pendiente' and (d.company_id, d.webhook_id) > (q.company_id, q.webhook_id)
        order by d.company_id, d.webhook_id, d.due_at, d.sequence
        limit 1
      ) as later
    ),
    due as materialized (
      select w.company_id, w.id, w.url, w.secret, w.failing_since, d.sequence,
        case when w.previous_until > ${at} then w.previous_secret end as previous_secret
      from waiting as q
      join ${sql.cell}.webhook as w on w.company_id = q.company_id and w.id = q.webhook_id
      cross join lateral (
        select d.sequence
        from ${sql.cell}.delivery as d
        where d.company_id = w.company_id
          and d.webhook_id = w.id
          and d.state = 'pendiente'
          and d.due_at <= ${at}
          and (d.leased_until is null or d.leased_until <= ${at})
        order by d.due_at, d.sequence
        limit greatest(
          case when w.failing_since is null then ${perWebhook}::int else 1 end
            - coalesce((${sending} ->> w.id::text)::int, 0),
          0
        )
        for update skip locked
      ) as d
      where q.due_at <= ${at} and w.state = 'activo' and ${isOpen(sql, "w")}
      limit ${limit}
    )
    update ${sql.cell}.delivery as d
    set leased_until = ${instant(leasedUntil)}
    from due
    join ${sql.cell}.event as e on e.company_id = due.company_id and e.sequence = due.sequence
    where d.company_id = due.company_id and d.webhook_id = due.id and d.sequence = due.sequence
    returning
      ${sql.literal(eventColumns)}, d.attempts, d.attempts = 0 and d.due_at = d.created_at as is_first,
      due.id as to_id, due.url, due.secret, due.previous_secret, due.failing_since`
}

/** Makes the function that claims due deliveries. */
export const claiming = Effect.gen(function* () {
  const sql = yield* cellClient
  const inTransaction = queueTransactions(sql)
  const { opened } = yield* secrets
  const read = eventReader(sql)

  // If the webhook's secret cannot be decrypted, its deliveries stay leased and do not delay other deliveries.
  const webhookOf = Effect.fnUntraced(
    function* (row: ClaimedRow): Effect.fn.Return<ReadonlyArray<ClaimedDelivery["webhook"]>> {
      const sealed = [row.secret, ...(row.previous_secret === null ? [] : [row.previous_secret])]
      return [
        {
          id: WebhookId.make(Number(row.to_id)),
          url: WebhookUrl.make(row.url),
          secrets: yield* Effect.forEach(sealed, (secret) => opened(row.company_id, row.to_id, secret)),
          failingSince: instantOrNull(row.failing_since)
        }
      ]
    },
    (webhook, row) =>
      Effect.catchDefect(webhook, () =>
        Effect.as(Effect.logError("the secret of a webhook cannot be decrypted", { webhookId: Number(row.to_id) }), [])
      )
  )

  /** The webhooks of the deliveries, by id. Each secret is decrypted once. */
  const webhooksOf = Effect.fnUntraced(function* (rows: ReadonlyArray<ClaimedRow>) {
    const distinct = new Map(rows.map((row) => [row.to_id, row]))
    // Concurrently, because each decryption waits for a thread.
    const webhooks = yield* Effect.forEach(distinct.values(), webhookOf, { concurrency: "unbounded" })
    return new Map(webhooks.flat().map((webhook) => [webhook.id, webhook]))
  })

  /**
   * Reads events. If one of them cannot be read, reads each alone, so that the others are still sent. This happens after a
   * return to an earlier version, which does not know a type of service or event.
   */
  const readable = (rows: ReadonlyArray<ClaimedRow>): Effect.Effect<ReadonlyArray<CompanyEvent>, SqlError> =>
    Effect.catchDefect(inTransaction(read(rows, sql)), (defect) => {
      if (isSqlError(defect)) return Effect.fail(defect)
      const [row] = rows
      return row === undefined || rows.length > 1
        ? Effect.map(
            Effect.forEach(rows, (each) => readable([each])),
            Arr.flatten
          )
        : Effect.as(
            Effect.logError("an event cannot be read", { companyId: Number(row.company_id), cause: defect }),
            []
          )
    })

  /** The events of the deliveries. Each event is read once for all its webhooks. */
  const eventsOf = Effect.fnUntraced(function* (rows: ReadonlyArray<ClaimedRow>) {
    const distinct = new Map(rows.map((row) => [keyOf(row.company_id, row.sequence), row]))
    const events = yield* readable([...distinct.values()])
    return new Map(events.map((event) => [keyOf(BigInt(event.companyId), BigInt(event.sequence)), event]))
  })

  let position = beginning

  /** Leases due deliveries after the position. If there are none, begins again with the first webhook. */
  const lease = Effect.fnUntraced(function* (
    wanted: DeliveryClaim,
    leasedUntil: DateTime.Utc
  ): Effect.fn.Return<ReadonlyArray<ClaimedRow>, SqlError> {
    const from = position
    const rows = yield* inTransaction(leasing(sql, wanted, leasedUntil, from))
    position = rows.length < wanted.limit ? beginning : lastOf(rows)
    return rows.length === 0 && from !== beginning ? yield* lease(wanted, leasedUntil) : rows
  })

  const claim: Deliveries["Service"]["claim"] = Effect.fnUntraced(function* (wanted) {
    const leasedUntil = DateTime.addDuration(wanted.now, wanted.lease)
    const rows = yield* lease(wanted, leasedUntil)
    if (rows.length === 0) return []
    const events = yield* eventsOf(rows)
    const webhooks = yield* webhooksOf(rows)
    return rows.flatMap((row): ReadonlyArray<ClaimedDelivery> => {
      const event = events.get(keyOf(row.company_id, row.sequence))
      const webhook = webhooks.get(WebhookId.make(Number(row.to_id)))
      return event === undefined || webhook === undefined
        ? []
        : [{ webhook, event, attempts: row.attempts, isFirst: row.is_first, leasedUntil }]
    })
  }, Effect.orDie)
  return claim
})
