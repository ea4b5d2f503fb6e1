import { eventViews } from "./Eventos.ts"
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

const answers = {
  200: { description: "Entregado. Vale cualquier 2xx dentro de 15 segundos; el cuerpo no se lee." },
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
        requestBody: { required: true, content: { "application/json": { schema: documentOf(view) } } },
        responses: answers
      }
    }
  ])
)
