import { Duration, Effect, Redacted, Schema } from "effect"
import { WebhookId, webhooks_max } from "../../core/domain/Event.ts"
import { formatOffset } from "../../core/domain/LocalTime.ts"
import { TextBetween } from "../../core/domain/Text.ts"
import { webhookUrlLength_max } from "../../core/domain/Webhook.ts"
import { type Webhook, Webhooks } from "../../core/ports/Webhooks.ts"
import {
  changeWebhook,
  createWebhook,
  findWebhook,
  removeWebhook,
  rotateWebhookSecret
} from "../../core/workflows/ManageWebhooks.ts"
import { webhooksPath } from "./Envelope.ts"
import { EventTypeName } from "./EventView.ts"
import { cleanText, described, integerBetween, pathId } from "./Fields.ts"
import { requires } from "./Gate.ts"
import { input } from "./Input.ts"
import { mutation, query } from "./Procedure.ts"

/** An instant with its offset. */
export const Instant = Schema.String.annotate({ format: "date-time", examples: ["2026-01-31T14:05:09-04:00"] })

const eventTypes = Schema.Array(EventTypeName).annotate({ description: "Los tipos que se envían. Vacío: todos." })

/** A webhook without its secret. Contract: 6. */
const WebhookView = Schema.Struct({
  webhook_id: Schema.Int,
  url: Schema.String,
  eventos: eventTypes,
  descripcion: Schema.String,
  estado: Schema.Literals(["activo", "pausado", "desactivado"]).annotate({
    identifier: "EstadoWebhook",
    description:
      "pausado: por la empresa. desactivado: por el servicio, tras un 410 o cinco días de fallos, o por el operador."
  }),
  falla_desde: Schema.NullOr(Instant).annotate({
    description: "El primer fallo después de la última entrega; null si no falla."
  }),
  created_at: Instant
}).annotate({ identifier: "Webhook" })

export const webhookView = (webhook: Webhook): typeof WebhookView.Type => ({
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

export const webhookGate = requires("webhooks.manage")
export const webhookTag = "Eventos"

export const webhookId = pathId(WebhookId, "El webhook.")
const url = cleanText("https, puerto 443 o mayor que 1023, sin usuario ni clave, y con una dirección pública.", {
  maxLength: webhookUrlLength_max,
  examples: ["https://tienda.example.com/saldo"]
})

const description_max = 200
const descripcion = described(TextBetween(0, description_max), {
  type: "string",
  maxLength: description_max,
  description: "Texto libre para reconocer el webhook."
})

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
  gate: webhookGate,
  input: input({
    url,
    eventos: Schema.optionalKey(eventTypes),
    descripcion: Schema.optionalKey(descripcion)
  }),
  output: Schema.Struct({ ...WebhookView.fields, secreto: Secret }).annotate({ identifier: "WebhookNuevo" }),
  meta: {
    path: "/v1/webhooks",
    summary: "Crea un webhook",
    description: `Los eventos de la empresa se envían por POST a la url, firmados según Standard Webhooks. Como máximo ${webhooks_max} por empresa. El primero activa los eventos de la empresa. [La guía de webhooks](${webhooksPath}) tiene código que verifica la firma.`,
    tag: webhookTag,
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
  gate: webhookGate,
  input: input({}),
  output: Schema.Struct({ items: Schema.Array(WebhookView) }).annotate({ identifier: "ListaDeWebhooks" }),
  meta: {
    path: "/v1/webhooks",
    summary: "Los webhooks de la empresa",
    tag: webhookTag,
    message: "Webhooks de la empresa.",
    example: { data: { items: [example] } }
  },
  handle: Effect.fnUntraced(function* ({ session }) {
    const webhooks = yield* Webhooks
    return { items: (yield* webhooks.list(session.company.id)).map(webhookView) }
  })
})

export const ver = query({
  gate: webhookGate,
  input: input({ id: webhookId }),
  output: WebhookView,
  meta: {
    path: "/v1/webhooks/{id}",
    summary: "Un webhook",
    tag: webhookTag,
    message: "Detalle del webhook.",
    errors: ["NOT_FOUND"],
    example: { data: example }
  },
  handle: ({ input, session }) => Effect.map(findWebhook(session.company.id, input.id), webhookView)
})

/** Changes the given fields of a webhook. Contract: 6. */
export const cambiar = mutation({
  gate: webhookGate,
  input: input({
    id: webhookId,
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
      "Cambia solo los campos enviados. Mientras está pausado no recibe eventos; los eventos de ese tiempo se pueden reenviar después.",
    tag: webhookTag,
    message: "Webhook actualizado.",
    errors: ["NOT_FOUND"],
    example: { request: { estado: "pausado" }, data: { ...example, estado: "pausado" } }
  },
  handle: ({ input, session }) => {
    const { descripcion: description, estado: state, eventos, id: changed, url: address } = input
    const wish = { url: address, eventTypes: eventos, description, state }
    return Effect.map(changeWebhook(session.company.id, changed, wish), webhookView)
  }
})

export const borrar = mutation({
  gate: webhookGate,
  input: input({ id: webhookId }),
  output: WebhookView,
  meta: {
    path: "/v1/webhooks/{id}",
    method: "DELETE",
    summary: "Borra un webhook y sus entregas",
    tag: webhookTag,
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
  gate: webhookGate,
  input: input({
    id: webhookId,
    solape_horas: Schema.optionalKey(
      integerBetween(0, overlap_max_h, "Horas durante las que también firma el secreto anterior.", overlap_default_h)
    )
  }),
  output: Schema.Struct({ secreto: Secret, anterior_hasta: Instant }).annotate({ identifier: "SecretoNuevo" }),
  meta: {
    path: "/v1/webhooks/{id}/secreto",
    aliases: ["/v1/webhooks/{id}/secret"],
    summary: "Cambia el secreto de un webhook",
    description: "Hasta anterior_hasta, cada entrega lleva dos firmas: la del secreto nuevo y la del anterior.",
    tag: webhookTag,
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
