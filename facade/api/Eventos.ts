import { Duration, Effect, Schema } from "effect"
import { Sequence } from "../../core/domain/Event.ts"
import { readEvents } from "../../core/workflows/ReadEvents.ts"
import { webhooksPath } from "./Envelope.ts"
import { eventExamples } from "./EventExamples.ts"
import { EventTypeName, EventView, eventView } from "./EventView.ts"
import { wholeBetween } from "./Fields.ts"
import { requires } from "./Gate.ts"
import { input } from "./Input.ts"
import { query } from "./Procedure.ts"

const limit_default = 100
const limit_max = 500

// A proxy may close a request that takes longer than 30 s.
const wait_max_s = 25

/** The events of the caller's company after a cursor, oldest first. Contract: 6. */
export const listarEventos = query({
  gate: requires("events.read"),
  input: input({
    despues_de: Schema.optionalKey(
      wholeBetween(0, Number.MAX_SAFE_INTEGER, "Solo los eventos con una secuencia mayor que esta.", 0)
    ),
    limite: Schema.optionalKey(wholeBetween(1, limit_max, "Cuántos eventos como máximo.", limit_default)),
    type: Schema.optionalKey(EventTypeName),
    esperar: Schema.optionalKey(
      wholeBetween(0, wait_max_s, "Segundos que la llamada espera el primer evento, si todavía no hay ninguno.", 0)
    )
  }),
  output: Schema.Struct({
    items: Schema.Array(EventView),
    siguiente: Schema.Int.annotate({ description: "El despues_de de la próxima llamada." })
  }).annotate({ identifier: "Eventos" }),
  meta: {
    path: "/v1/eventos",
    aliases: ["/v1/events"],
    summary: "Los eventos de la empresa, del más antiguo al más reciente",
    description: `Permite recibir los eventos sin tener una dirección pública. Los eventos se conservan 30 días. Una empresa tiene eventos desde que crea su primer webhook o desde que el operador los activa. [La guía de webhooks](${webhooksPath}) explica cada tipo.`,
    tag: "Eventos",
    message: "Eventos de la empresa.",
    example: {
      data: {
        items: [eventExamples["balance.deposited"].event],
        siguiente: eventExamples["balance.deposited"].event.secuencia
      }
    }
  },
  handle: Effect.fnUntraced(function* ({ input, session }) {
    const { despues_de = 0, esperar = 0, limite = limit_default, type } = input
    const wanted = { after: Sequence.make(despues_de), limit: limite, type }
    const { events, next } = yield* readEvents(session.company.id, wanted, Duration.seconds(esperar))
    return { items: events.map(eventView), siguiente: next }
  })
})
