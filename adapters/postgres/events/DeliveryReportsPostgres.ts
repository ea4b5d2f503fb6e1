import { PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Layer } from "effect"
import { WebhookId } from "../../../core/domain/Event.ts"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import type { DeliveryState } from "../../../core/domain/Webhook.ts"
import { DeliveryReports } from "../../../core/ports/Deliveries.ts"
import { cellClient } from "../connection/Cell.ts"
import { instant, int8 } from "../connection/Sql.ts"
import { type DeliveryRow, deliveryColumns, deliveryOf } from "./DeliveriesPostgres.ts"

/** How many errors a report lists. */
const errors_max = 10

/** The deliveries of a webhook in one state. */
interface StateRow {
  readonly state: DeliveryState
  readonly deliveries: number
  /** When the oldest waiting delivery became due. Null if no delivery is due. */
  readonly due_since: Date | null
}

const make = Effect.gen(function* () {
  const sql = yield* cellClient

  const read = Effect.fnUntraced(function* (companyId: CompanyId, id: WebhookId, now: DateTime.Utc) {
    const states = yield* sql<StateRow>`
      select
        state,
        count(*)::int as deliveries,
        min(due_at) filter (where state = 'pendiente' and due_at <= ${instant(now)}) as due_since
      from ${sql.cell}.delivery
      where company_id = ${int8(companyId)} and webhook_id = ${int8(id)}
      group by state`
    const errors = yield* sql<DeliveryRow>`
      select ${sql.literal(deliveryColumns)}
      from ${sql.cell}.delivery as d
      join ${sql.cell}.event as e on e.company_id = d.company_id and e.sequence = d.sequence
      where d.company_id = ${int8(companyId)} and d.webhook_id = ${int8(id)} and d.error is not null
      order by d.sequence desc
      limit ${errors_max}`
    const countOf = (wanted: DeliveryState) => states.find(({ state }) => state === wanted)?.deliveries ?? 0
    const dueSince = states.find(({ due_since }) => due_since !== null)?.due_since ?? null
    return {
      counts: { entregada: countOf("entregada"), pendiente: countOf("pendiente"), fallida: countOf("fallida") },
      dueSince: dueSince === null ? null : DateTime.fromDateUnsafe(dueSince),
      errors: errors.map(deliveryOf)
    }
  }, Effect.orDie)

  // Reads one row of the index delivery_waiting for each webhook.
  const dueSince: DeliveryReports["Service"]["dueSince"] = Effect.fnUntraced(function* (webhooks, now) {
    const rows = yield* sql<{ webhook_id: bigint; due_at: Date }>`
      select w.webhook_id, d.due_at
      from jsonb_to_recordset(
        ${PgTypes.jsonb(webhooks.map(({ companyId, webhookId }) => ({ company_id: companyId, webhook_id: webhookId })))}
      ) as w(company_id bigint, webhook_id bigint)
      cross join lateral (
        select d.due_at
        from ${sql.cell}.delivery as d
        where d.company_id = w.company_id
          and d.webhook_id = w.webhook_id
          and d.state = 'pendiente'
          and d.due_at <= ${instant(now)}
        order by d.due_at
        limit 1
      ) as d`
    return new Map(
      rows.map(({ due_at, webhook_id }) => [WebhookId.make(Number(webhook_id)), DateTime.fromDateUnsafe(due_at)])
    )
  }, Effect.orDie)

  return DeliveryReports.of({ read, dueSince })
})

export const layer = Layer.effect(DeliveryReports, make)
