import { DateTime, Effect, Layer, Option, Stream } from "effect"
import { Sequence, WebhookId } from "../../../core/domain/Event.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { frozenAt } from "../../../core/domain/Page.ts"
import type { DeliveryState } from "../../../core/domain/Webhook.ts"
import { Deliveries, type Delivery } from "../../../core/ports/Deliveries.ts"
import { cellClient, isOpen, ListeningClient } from "../connection/Cell.ts"
import { PoolSize } from "../connection/Database.ts"
import { notificationsOf } from "../connection/Notifications.ts"
import { instant, int8 } from "../connection/Sql.ts"
import { claiming } from "./DeliveryClaims.ts"
import { recording } from "./DeliveryResults.ts"
import { eventType } from "./EventRows.ts"
import { queueTransactionsInTurn } from "./QueueTransactions.ts"

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

/** The columns of a delivery (alias `d`) and its event (alias `e`), as SQL. */
export const deliveryColumns = [
  ...["d.company_id", "d.webhook_id", "d.sequence", "e.type", "d.state", "d.attempts", "d.http_status", "d.error"],
  ...["d.duration_ms", "d.created_at", "d.due_at"]
].join(", ")

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

const channel = "deliveries"

/** Runs statements in a transaction on the queue, when it is their turn. */
type InTurn = Effect.Success<ReturnType<typeof queueTransactionsInTurn>>

/** Makes the function that lists deliveries. */
const listing = Effect.fnUntraced(function* (inTurn: InTurn) {
  const sql = yield* cellClient

  const list: Deliveries["Service"]["list"] = Effect.fnUntraced(function* (companyId, id, filter, { page, perPage }) {
    const { state, upTo } = filter
    const ofWebhook = sql`d.company_id = ${int8(companyId)} and d.webhook_id = ${int8(id)}`
    const wanted = sql.and([
      ofWebhook,
      ...(state === undefined ? [] : [sql`d.state = ${state}`]),
      ...(upTo === undefined ? [] : [sql`d.sequence <= ${int8(upTo)}`])
    ])
    const rows = yield* inTurn(sql<{ total: bigint; newest: bigint } & (DeliveryRow | { readonly sequence: null })>`
      select whole.total, whole.newest, shown.*
      from (
        select
          (select count(*) from ${sql.cell}.delivery as d where ${wanted}) as total,
          (select coalesce(max(d.sequence), 0) from ${sql.cell}.delivery as d where ${ofWebhook}) as newest
      ) as whole
      left join (
        select ${sql.literal(deliveryColumns)}
        from ${sql.cell}.delivery as d
        join ${sql.cell}.event as e on e.company_id = d.company_id and e.sequence = d.sequence
        where ${wanted}
        order by d.sequence desc
        limit ${perPage}
        offset ${(page - 1) * perPage}
      ) as shown on true
      order by shown.sequence desc`)
    return {
      items: rows.flatMap((row) => (row.sequence === null ? [] : [deliveryOf(row)])),
      total: Number(rows[0]?.total ?? 0),
      upTo: frozenAt(filter, Number(rows[0]?.newest ?? 0))
    }
  }, Effect.orDie)
  return list
})

/**
 * Maximum number of events that a transaction replays. Recording the results of attempts waits for the end of this
 * transaction.
 */
const replayed_max = 5000

/** Makes the function that puts events into a queue again. */
const replaying = Effect.fnUntraced(function* (inTurn: InTurn) {
  const sql = yield* cellClient

  /** Replays the first wanted events after a sequence. Returns their number and the sequence of the last one. */
  const replayPart = Effect.fnUntraced(function* (
    [companyId, id, wanted, at]: Parameters<Deliveries["Service"]["replay"]>,
    after: bigint
  ) {
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
              from ${sql.cell}.delivery as d
              where d.company_id = e.company_id
                and d.webhook_id = ${int8(id)}
                and d.sequence = e.sequence
                and d.state = 'fallida'
            )
          )`
    const [replayed] = yield* sql<{ deliveries: number; last: bigint }>`
      with replayed as (
        insert into ${sql.cell}.delivery (company_id, webhook_id, sequence, due_at, created_at)
        select e.company_id, w.id, e.sequence, ${instant(at)}, e.created_at
        from ${sql.cell}.webhook as w
        join ${sql.cell}.event as e on e.company_id = w.company_id
        where w.company_id = ${int8(companyId)}
          and w.id = ${int8(id)}
          and ${isOpen(sql, "w")}
          and (e.webhook_id is null or e.webhook_id = w.id)
          and e.sequence > ${int8(after)}
          and ${spans}
        -- Locks the deliveries in the same order as the statement that records results, so that the two statements cannot
        -- deadlock.
        order by e.sequence
        limit ${replayed_max}
        -- A webhook that is being deleted gets no more deliveries.
        for key share of w
        on conflict (company_id, webhook_id, sequence) do update
        set state = 'pendiente',
          attempts = 0,
          due_at = excluded.due_at,
          leased_until = null,
          http_status = null,
          error = null,
          duration_ms = null
        returning sequence
      )
      select count(*)::int as deliveries, coalesce(max(sequence), 0) as last from replayed`
    if (replayed !== undefined && replayed.deliveries > 0) yield* sql`select pg_notify(${channel}, '')`
    return replayed ?? { deliveries: 0, last: after }
  })

  const replay: Deliveries["Service"]["replay"] = Effect.fnUntraced(function* (...wanted) {
    let part = { deliveries: replayed_max, last: 0n }
    let total = 0
    while (part.deliveries === replayed_max) {
      part = yield* inTurn(replayPart(wanted, part.last))
      total += part.deliveries
    }
    return total
  }, Effect.orDie)
  return replay
})

/**
 * Minimum size of a pool that spends a connection on listening for deliveries. Two other connections listen for changes
 * of tokens and of the catalogue, and at least two are left for sales and claims. In a smaller pool, workers look for
 * due deliveries only twice a second.
 */
const listeningPool_min = 5

const make = Effect.gen(function* () {
  const sql = yield* cellClient
  const inTurn = yield* queueTransactionsInTurn(sql)

  const listener = (yield* ListeningClient) ?? sql
  const arrivals = (yield* PoolSize) < listeningPool_min ? Stream.never : notificationsOf(listener, channel)

  const test: Deliveries["Service"]["test"] = Effect.fnUntraced(function* (companyId, id, at) {
    const [row] = yield* sql<{ reached: bigint | null }>`
      select ${sql.cell}.test_webhook(${int8(companyId)}, ${int8(id)}, ${instant(at)}) as reached`
    return Option.map(Option.fromNullishOr(row?.reached), (reached) => Sequence.make(Number(reached)))
  }, Effect.orDie)

  return Deliveries.of({
    claim: yield* claiming,
    record: yield* recording,
    arrivals,
    test,
    list: yield* listing(inTurn),
    replay: yield* replaying(inTurn)
  })
})

export const layer = Layer.effect(Deliveries, make)
