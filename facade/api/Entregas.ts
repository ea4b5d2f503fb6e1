import { DateTime, Effect, Option, Result, Schema } from "effect"
import { Invalid } from "../../core/domain/Errors.ts"
import { eventId, sequenceIn } from "../../core/domain/Event.ts"
import { formatOffset, readInstant } from "../../core/domain/LocalTime.ts"
import { Deliveries, type Delivery } from "../../core/ports/Deliveries.ts"
import { findWebhook, replayEvents, testWebhook } from "../../core/workflows/ManageWebhooks.ts"
import { EventTypeName } from "./EventView.ts"
import { cleanText, pageOf, paging, readBy } from "./Fields.ts"
import { input } from "./Input.ts"
import { Pagination, paginationOf } from "./Output.ts"
import { mutation, query } from "./Procedure.ts"
import { webhookGate as gate, Instant, webhookId as id, webhookTag as tag } from "./Webhooks.ts"

/** Sends a test event. Contract: 6. */
export const probar = mutation({
  gate,
  input: input({ id }),
  output: Schema.Struct({ evento_id: Schema.String }).annotate({ identifier: "PruebaDeWebhook" }),
  meta: {
    path: "/v1/webhooks/{id}/probar",
    aliases: ["/v1/webhooks/{id}/test"],
    summary: "Envía un evento de prueba",
    description:
      "Envía webhook.test, aunque no esté entre los tipos del webhook. Consulte el resultado en las entregas del webhook.",
    tag,
    status: 202,
    message: "Evento de prueba en camino.",
    errors: ["NOT_FOUND"],
    example: { data: { evento_id: "evt_1_17" } }
  },
  handle: ({ input, session: { company } }) =>
    Effect.map(testWebhook(company.id, input.id), (sequence) => ({ evento_id: eventId(company.id, sequence) }))
})

const estado = Schema.Literals(["entregada", "pendiente", "fallida"]).annotate({ identifier: "EstadoEntrega" })

const foundMessage = (total: number): string => `Entregas encontradas: ${total}.`

const DeliveryView = Schema.Struct({
  evento_id: Schema.String,
  type: EventTypeName,
  intento: Schema.Int.annotate({ description: "Cuántos intentos se han hecho." }),
  estado,
  http_status: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String).annotate({
    description:
      "Por qué falló el último intento: timeout, dns, direccion_no_permitida, conexion_rechazada, conexion_cortada, tls, respuesta_invalida o http_ y el código."
  }),
  duracion_ms: Schema.NullOr(Schema.Int),
  created_at: Instant,
  proximo_intento: Schema.NullOr(Instant)
}).annotate({ identifier: "Entrega" })

export const deliveryView = (delivery: Delivery): typeof DeliveryView.Type => ({
  evento_id: eventId(delivery.companyId, delivery.sequence),
  type: delivery.type,
  intento: delivery.attempts,
  estado: delivery.state,
  http_status: delivery.httpStatus,
  error: delivery.error,
  duracion_ms: delivery.duration_ms,
  created_at: formatOffset(delivery.createdAt),
  proximo_intento: delivery.nextAttempt === null ? null : formatOffset(delivery.nextAttempt)
})

/** The deliveries of a webhook, newest first. Contract: 6. */
export const entregas = query({
  gate,
  input: input({
    id,
    page: paging.page,
    per_page: paging.per_page,
    hasta_id: paging.hasta_id,
    estado: Schema.optionalKey(estado)
  }),
  output: Schema.Struct({ items: Schema.Array(DeliveryView), pagination: Pagination }).annotate({
    identifier: "Entregas"
  }),
  meta: {
    path: "/v1/webhooks/{id}/entregas",
    aliases: ["/v1/webhooks/{id}/deliveries"],
    summary: "Las entregas de un webhook, de la más reciente a la más antigua",
    tag,
    errors: ["NOT_FOUND"],
    example: {
      message: foundMessage(1),
      data: {
        items: [
          {
            evento_id: "evt_1_17",
            type: "transaction.succeeded",
            intento: 1,
            estado: "pendiente",
            http_status: 500,
            error: "http_500",
            duracion_ms: 84,
            created_at: "2026-01-31T14:05:09-04:00",
            proximo_intento: "2026-01-31T14:05:14-04:00"
          }
        ],
        pagination: { page: 1, per_page: 50, total: 1, total_pages: 1, hasta_id: 17 }
      }
    }
  },
  handle: Effect.fnUntraced(function* ({ call, input, session }) {
    yield* findWebhook(session.company.id, input.id)
    const deliveries = yield* Deliveries
    const page = pageOf(input)
    const filter = { state: input.estado, upTo: input.hasta_id }
    const slice = yield* deliveries.list(session.company.id, input.id, filter, page)
    call.reply.message = foundMessage(slice.total)
    return { items: slice.items.map(deliveryView), pagination: paginationOf(page, slice) }
  })
})

const instantField = (description: string) =>
  readBy<DateTime.Utc, string>(
    Schema.DateTimeUtc,
    (raw) =>
      Option.match(typeof raw === "string" ? readInstant(raw) : Option.none(), {
        onNone: () => Result.fail("invalido"),
        onSome: Result.succeed
      }),
    { type: "string", format: "date-time", description, examples: ["2026-01-31T14:05:09-04:00"] }
  )

/** Sends one event, or the events of a time span, again. Contract: 6. */
export const reenviar = mutation({
  gate,
  input: input({
    id,
    evento_id: Schema.optionalKey(
      cleanText("El id de un solo evento. No se combina con desde, hasta ni solo_fallidas.")
    ),
    desde: Schema.optionalKey(instantField("Los eventos desde este instante. No se combina con evento_id.")),
    hasta: Schema.optionalKey(instantField("Hasta este instante, inclusive.")),
    solo_fallidas: Schema.optionalKey(
      Schema.Boolean.annotate({ description: "Solo los eventos cuya entrega a este webhook terminó en fallida." })
    )
  }),
  output: Schema.Struct({ eventos: Schema.Int.annotate({ description: "Cuántos eventos se reenvían." }) }).annotate({
    identifier: "Reenvio"
  }),
  meta: {
    path: "/v1/webhooks/{id}/reenviar",
    aliases: ["/v1/webhooks/{id}/replay"],
    summary: "Reenvía eventos a un webhook",
    description:
      "Con evento_id reenvía un evento; con desde, los de un lapso, aunque no sean de los tipos del webhook. El id de cada evento no cambia. Si el webhook no está activo, se envían cuando se reanude.",
    tag,
    status: 202,
    message: "Eventos en camino.",
    errors: ["NOT_FOUND"],
    example: { request: { desde: "2026-01-31T14:00:00-04:00", solo_fallidas: true }, data: { eventos: 3 } }
  },
  handle: Effect.fnUntraced(function* ({ input: { desde, evento_id, hasta, id: webhookId, solo_fallidas }, session }) {
    const { id: companyId } = session.company
    if (evento_id === undefined && desde === undefined)
      return yield* new Invalid({ details: { evento_id: "requerido" } })
    if (evento_id !== undefined) {
      const ofSpan = Object.entries({ desde, hasta, solo_fallidas }).filter(([, given]) => given !== undefined)
      if (ofSpan.length > 0) {
        return yield* new Invalid({ details: Object.fromEntries(ofSpan.map(([name]) => [name, "sobra"])) })
      }
      const sequence = sequenceIn(companyId, evento_id)
      const sent = sequence === null ? 0 : yield* replayEvents(companyId, webhookId, { sequence })
      return sent === 0 ? yield* new Invalid({ details: { evento_id: "no_existe" } }) : { eventos: sent }
    }
    const since = desde ?? (yield* DateTime.now)
    const span = { since, until: hasta ?? null, onlyFailed: solo_fallidas ?? false }
    return { eventos: yield* replayEvents(companyId, webhookId, span) }
  })
})
