import { Schema } from "effect"
import { eventExamples } from "./EventExamples.ts"
import { eventViews } from "./EventView.ts"
import { documentOf } from "./JsonSchema.ts"

const header = (name: string, description: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" }
})

const signatureHeaders = [
  header("webhook-id", "El id del evento: el mismo en todos los intentos."),
  header(
    "webhook-timestamp",
    "La hora del intento, en segundos Unix. Rechace la entrega si es de hace más de cinco minutos."
  ),
  header(
    "webhook-signature",
    "`v1,` y el HMAC-SHA256 en Base64 de `{webhook-id}.{webhook-timestamp}.{cuerpo}`. Durante una rotación, dos firmas separadas por un espacio."
  )
]

/** The examples of one shape of an event, by type. */
const examplesOf = (view: Schema.Top) =>
  Object.fromEntries(
    Object.entries(eventExamples)
      .filter(([, { event }]) => Schema.is(view)(event))
      .map(([type, { event, when }]) => [type, { summary: when, value: event }])
  )

const answers = {
  200: { description: "Entregado. Es válida cualquier respuesta 2xx en menos de 15 segundos; el cuerpo se ignora." },
  "3XX": { description: "No entregado: no se siguen redirecciones. Se reintenta." },
  410: { description: "El receptor no quiere más eventos: el webhook se desactiva." },
  "4XX": { description: "No entregado: se reintenta." },
  "5XX": { description: "No entregado: se reintenta." }
}

/** The requests that the service sends to the webhooks of a company: one for each shape of an event. Contract: 6.3. */
export const webhookRequests = Object.fromEntries(
  Object.entries(eventViews).map(([name, { summary, view }]) => [
    name,
    {
      post: {
        operationId: name,
        summary,
        description: "El servicio lo envía a la url del webhook, firmado según Standard Webhooks.",
        tags: ["Eventos"],
        security: [],
        parameters: signatureHeaders,
        requestBody: {
          required: true,
          content: { "application/json": { schema: documentOf(view), examples: examplesOf(view) } }
        },
        responses: answers
      }
    }
  ])
)
