import { DateTime, Duration, Effect, Option, Redacted, Result, Schema } from "effect"
import { Invalid } from "../../core/domain/Errors.ts"
import { eventId, sequenceIn, WebhookId } from "../../core/domain/Event.ts"
import { formatOffset } from "../../core/domain/LocalTime.ts"
import { EventType } from "../../core/domain/Webhook.ts"
import { Deliveries, type Delivery } from "../../core/ports/Deliveries.ts"
import { type Webhook, Webhooks } from "../../core/ports/Webhooks.ts"
import {
  changeWebhook,
  createWebhook,
  findWebhook,
  removeWebhook,
  replayEvents,
  rotateWebhookSecret,
  testWebhook
} from "../../core/workflows/ManageWebhooks.ts"
import { cleanText, pageOf, paging, pathId, readBy, wholeBetween } from "./Fields.ts"
import { requires } from "./Gate.ts"
import { input } from "./Input.ts"
import { Pagination, paginationOf } from "./Output.ts"
import { mutation, query } from "./Procedure.ts"

const Instant = Schema.String.annotate({ format: "date-time", examples: ["2026-01-31T14:05:09-04:00"] })

const eventTypes = Schema.Array(EventType).annotate({ description: "Los tipos que se envían. Vacío: todos." })

/** A webhook without its secret. Contract: 6. */
const WebhookView = Schema.Struct({
  webhook_id: Schema.Int,
  url: Schema.String,
  eventos: eventTypes,
  descripcion: Schema.String,
  estado: Schema.Literals(["activo", "pausado", "desactivado"]).annotate({
    description:
      "pausado: por la empresa. desactivado: por el servicio, tras un 410 o cinco días de fallos, o por el operador."
  }),
  falla_desde: Schema.NullOr(Instant).annotate({
    description: "El primer fallo después de la última entrega; null si no falla."
  }),
  created_at: Instant
}).annotate({ identifier: "Webhook" })

const webhookView = (webhook: Webhook): typeof WebhookView.Type => ({
  webhook_id: webhook.id,
  url: webhook.url,
  eventos: webhook.eventTypes,
  descripcion: webhook.description,
  estado: webhook.state,
  falla_desde: webhook.failingSince === null ? null : formatOffset(webhook.failingSince),
  created_at: formatOffset(webhook.createdAt)
})

const Secret = Schema.String.annotate({
  description: "Firma las entregas (Standard Webhooks). Se muestra una sola vez.",
  examples: ["whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="]
})

const gate = requires("webhooks.manage")
const tag = "Eventos"

const id = pathId(WebhookId, "El webhook.")
const url = cleanText("https, puerto 443 o mayor que 1023, con una dirección pública; 2,048 caracteres como máximo.")

const description_max = 200
const descripcion = cleanText("Para reconocerlo.").check(Schema.isMaxLength(description_max))

const example = {
  webhook_id: 1,
  url: "https://tienda.example.com/saldo",
  eventos: [],
  descripcion: "Tienda en línea",
  estado: "activo",
  falla_desde: null,
  created_at: "2026-01-31T14:05:09-04:00"
}

const exampleSecret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

/** Creates a webhook. Contract: 6. */
export const crear = mutation({
  gate,
  input: input({
    url,
    eventos: Schema.optionalKey(eventTypes),
    descripcion: Schema.optionalKey(descripcion)
  }),
  output: Schema.Struct({ ...WebhookView.fields, secreto: Secret }).annotate({ identifier: "WebhookNuevo" }),
  meta: {
    path: "/v1/webhooks",
    summary: "Crea un webhook",
    description:
      "Los eventos de la empresa se envían por POST a la url, firmados según Standard Webhooks. Como máximo 10 por empresa. El primero activa los eventos de la empresa.",
    tag,
    status: 201,
    message: "Webhook creado. Guarde el secreto: no se vuelve a mostrar.",
    example: {
      request: { url: example.url, descripcion: example.descripcion },
      data: { ...example, secreto: exampleSecret }
    }
  },
  handle: Effect.fnUntraced(function* ({ input: { descripcion: description, eventos, url: address }, session }) {
    const wish = { eventTypes: eventos, description }
    const { secret, webhook } = yield* createWebhook(session, address, wish)
    return { ...webhookView(webhook), secreto: Redacted.value(secret) }
  })
})

export const listar = query({
  gate,
  input: input({}),
  output: Schema.Struct({ items: Schema.Array(WebhookView) }),
  meta: {
    path: "/v1/webhooks",
    summary: "Los webhooks de la empresa",
    tag,
    message: "Webhooks de la empresa.",
    example: { data: { items: [example] } }
  },
  handle: Effect.fnUntraced(function* ({ session }) {
    const webhooks = yield* Webhooks
    return { items: (yield* webhooks.list(session.company.id)).map(webhookView) }
  })
})

export const ver = query({
  gate,
  input: input({ id }),
  output: WebhookView,
  meta: {
    path: "/v1/webhooks/{id}",
    summary: "Un webhook",
    tag,
    message: "Detalle del webhook.",
    errors: ["NOT_FOUND"],
    example: { data: example }
  },
  handle: ({ input, session }) => Effect.map(findWebhook(session.company.id, input.id), webhookView)
})

/** Changes the given fields of a webhook. Contract: 6. */
export const cambiar = mutation({
  gate,
  input: input({
    id,
    url: Schema.optionalKey(url),
    eventos: Schema.optionalKey(eventTypes),
    descripcion: Schema.optionalKey(descripcion),
    estado: Schema.optionalKey(
      Schema.Literals(["activo", "pausado"]).annotate({
        description: "activo también reanuda un webhook desactivado y sus entregas pendientes."
      })
    )
  }),
  output: WebhookView,
  meta: {
    path: "/v1/webhooks/{id}",
    method: "PATCH",
    summary: "Cambia, pausa o reanuda un webhook",
    description:
      "Cambia solo los campos enviados. Mientras está pausado no recibe eventos; los de ese tiempo se reenvían con reenviar.",
    tag,
    message: "Webhook actualizado.",
    errors: ["NOT_FOUND"],
    example: { request: { estado: "pausado" }, data: { ...example, estado: "pausado" } }
  },
  handle: ({ input, session }) => {
    const { descripcion: description, estado: state, eventos, id: webhookId, url: address } = input
    const wish = { url: address, eventTypes: eventos, description, state }
    return Effect.map(changeWebhook(session.company.id, webhookId, wish), webhookView)
  }
})

export const borrar = mutation({
  gate,
  input: input({ id }),
  output: WebhookView,
  meta: {
    path: "/v1/webhooks/{id}",
    method: "DELETE",
    summary: "Borra un webhook y sus entregas",
    tag,
    message: "Webhook borrado.",
    errors: ["NOT_FOUND"],
    example: { data: example }
  },
  handle: ({ input, session }) => Effect.map(removeWebhook(session.company.id, input.id), webhookView)
})

const overlap_default_h = 24
const overlap_max_h = 168

/** Gives a webhook a new secret. Contract: 6. */
export const rotarSecreto = mutation({
  gate,
  input: input({
    id,
    solape_horas: Schema.optionalKey(
      wholeBetween(0, overlap_max_h, "Cuántas horas firma también el secreto anterior.", overlap_default_h)
    )
  }),
  output: Schema.Struct({ secreto: Secret, anterior_hasta: Instant }),
  meta: {
    path: "/v1/webhooks/{id}/secreto",
    aliases: ["/v1/webhooks/{id}/secret"],
    summary: "Cambia el secreto de un webhook",
    description: "Hasta anterior_hasta, cada entrega lleva dos firmas: la del secreto nuevo y la del anterior.",
    tag,
    message: "Secreto cambiado. Guárdelo: no se vuelve a mostrar.",
    errors: ["NOT_FOUND"],
    example: {
      request: { solape_horas: 24 },
      data: { secreto: exampleSecret, anterior_hasta: "2026-02-01T14:05:09-04:00" }
    }
  },
  handle: Effect.fnUntraced(function* ({ input, session }) {
    const overlap = Duration.hours(input.solape_horas ?? overlap_default_h)
    const { previousUntil, secret } = yield* rotateWebhookSecret(session.company.id, input.id, overlap)
    return { secreto: Redacted.value(secret), anterior_hasta: formatOffset(previousUntil) }
  })
})

/** Sends a test event. Contract: 6. */
export const probar = mutation({
  gate,
  input: input({ id }),
  output: Schema.Struct({ evento_id: Schema.String }),
  meta: {
    path: "/v1/webhooks/{id}/probar",
    aliases: ["/v1/webhooks/{id}/test"],
    summary: "Envía un evento de prueba",
    description: "Envía webhook.test, aunque no esté entre los tipos del webhook. Su resultado se ve en entregas.",
    tag,
    status: 202,
    message: "Evento de prueba en camino.",
    errors: ["NOT_FOUND"],
    example: { data: { evento_id: "evt_1_17" } }
  },
  handle: ({ input, session: { company } }) =>
    Effect.map(testWebhook(company.id, input.id), (sequence) => ({ evento_id: eventId(company.id, sequence) }))
})

const estado = Schema.Literals(["entregada", "pendiente", "fallida"])

const DeliveryView = Schema.Struct({
  evento_id: Schema.String,
  type: EventType,
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

const deliveryView = (delivery: Delivery): typeof DeliveryView.Type => ({
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
  input: input({ id, page: paging.page, per_page: paging.per_page, estado: Schema.optionalKey(estado) }),
  output: Schema.Struct({ items: Schema.Array(DeliveryView), pagination: Pagination }),
  meta: {
    path: "/v1/webhooks/{id}/entregas",
    aliases: ["/v1/webhooks/{id}/deliveries"],
    summary: "Las entregas de un webhook, de la más reciente a la más antigua",
    tag,
    message: "Entregas del webhook.",
    errors: ["NOT_FOUND"],
    example: {
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
        pagination: { page: 1, per_page: 50, total: 1, total_pages: 1 }
      }
    }
  },
  handle: Effect.fnUntraced(function* ({ input, session }) {
    yield* findWebhook(session.company.id, input.id)
    const deliveries = yield* Deliveries
    const page = pageOf(input)
    const { items, total } = yield* deliveries.list(session.company.id, input.id, input.estado, page)
    return { items: items.map(deliveryView), pagination: paginationOf(page, total) }
  })
})

const isoInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/

const instantField = (description: string) =>
  readBy<DateTime.Utc, string>(
    Schema.DateTimeUtc,
    (raw) =>
      Option.match(typeof raw === "string" && isoInstant.test(raw) ? DateTime.make(raw) : Option.none(), {
        onNone: () => Result.fail("invalido"),
        onSome: (at) => Result.succeed(DateTime.toUtc(at))
      }),
    { type: "string", format: "date-time", description, examples: ["2026-01-31T14:05:09-04:00"] }
  )

/** Sends one event, or the events of a span, again. Contract: 6. */
export const reenviar = mutation({
  gate,
  input: input({
    id,
    evento_id: Schema.optionalKey(cleanText("Un solo evento. Sin desde.")),
    desde: Schema.optionalKey(instantField("Los eventos desde este instante. Sin evento_id.")),
    hasta: Schema.optionalKey(instantField("Hasta este instante, inclusive.")),
    solo_fallidas: Schema.optionalKey(
      Schema.Boolean.annotate({ description: "Solo los eventos cuya entrega a este webhook terminó en fallida." })
    )
  }),
  output: Schema.Struct({ eventos: Schema.Int.annotate({ description: "Cuántos eventos se reenvían." }) }),
  meta: {
    path: "/v1/webhooks/{id}/reenviar",
    aliases: ["/v1/webhooks/{id}/replay"],
    summary: "Reenvía eventos a un webhook",
    description: "Con evento_id, uno; con desde, los de un lapso, sean o no de los tipos del webhook. El id no cambia.",
    tag,
    status: 202,
    message: "Eventos en camino.",
    errors: ["NOT_FOUND"],
    example: { request: { desde: "2026-01-31T14:00:00-04:00", solo_fallidas: true }, data: { eventos: 3 } }
  },
  handle: Effect.fnUntraced(function* ({ input: { desde, evento_id, hasta, id: webhookId, solo_fallidas }, session }) {
    const { id: companyId } = session.company
    if ((evento_id === undefined) === (desde === undefined)) {
      return yield* new Invalid({
        details: { [evento_id === undefined ? "evento_id" : "desde"]: evento_id === undefined ? "requerido" : "sobra" }
      })
    }
    if (evento_id !== undefined) {
      const sequence = sequenceIn(companyId, evento_id)
      const sent = sequence === null ? 0 : yield* replayEvents(companyId, webhookId, { sequence })
      return sent === 0 ? yield* new Invalid({ details: { evento_id: "no_existe" } }) : { eventos: sent }
    }
    const since = desde ?? (yield* DateTime.now)
    const span = { since, until: hasta ?? null, onlyFailed: solo_fallidas ?? false }
    return { eventos: yield* replayEvents(companyId, webhookId, span) }
  })
})
