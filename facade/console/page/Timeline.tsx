import { dateTime, day, pesos, timeOfDay } from "../ui/Format.ts"
import { actionName } from "./AuditActions.ts"
import type { api } from "./Client.ts"
import { Link } from "./Navigation.tsx"
import { statusNames } from "./SaleParts.tsx"

export type Sale = Awaited<ReturnType<typeof api.transacciones.ver.query>>
type Step = Sale["historia"][number]
type StepOf<Name extends Step["evento"]> = Extract<Step, { readonly evento: Name }>

/** The Spanish name of each answer of a provider or insurer. */
const answers: Readonly<Record<string, string>> = {
  Confirmed: "la anuló",
  Delivered: "la entregó",
  Denied: "no la anuló",
  NotAsked: "no se pudo preguntar",
  NotFound: "no la conoce",
  Refused: "la rechazó",
  TakenBack: "la entregó y después la revirtió",
  Unknown: "no dio una respuesta firme"
}

export const answerName = (answer: string): string => answers[answer] ?? answer

const outcomes = {
  Delivered: "exitosa",
  Pending: "pendiente",
  Refused: "rechazada"
} as const

const finders = {
  call: "por la propia llamada",
  recovery: "por la recuperación",
  operator: "por dos operadores",
  question: "por la pregunta de un operador"
} as const

const reversalNames = {
  PROCESSING: "en proceso",
  PENDING: "pendiente",
  CONFIRMED: "confirmada",
  DENIED: "negada"
} as const

const entryNames: Readonly<Record<string, string>> = {
  adjustment: "ajuste",
  deposit: "depósito",
  reversal: "anulación",
  sale: "venta"
}

const subjectOf = (subject: "anulacion" | "venta") => (subject === "venta" ? "la venta" : "la anulación")

/** The number of times that a step happened, and the time of the last one. Empty if the step happened once. */
const repetition = ({ ultima, veces }: { readonly veces: number; readonly ultima: string }): string =>
  veces === 1 ? "" : ` (${veces} veces, hasta el ${dateTime(ultima)})`

const deliveryText = ({ error, estado, http_status, intentos }: StepOf<"evento">["entregas"][number]): string =>
  [estado, `${intentos} intentos`, http_status === null ? null : `HTTP ${http_status}`, error]
    .filter((part) => part !== null)
    .join(", ")

/** The response that a retry of the company receives. */
const repeatText = ({ se_repite_hasta: until }: StepOf<"respondida">): string =>
  until === null
    ? "Mientras la operación siga sin resolver, un reintento recibe la misma respuesta."
    : `Hasta el ${dateTime(until)} un reintento recibe la misma respuesta.`

/** The title and the facts of a step. */
const described = (step: Step): { readonly title: string; readonly facts: string } => {
  switch (step.evento) {
    case "reservada":
      return {
        title: "Llamada y reserva",
        facts: `${pesos(step.monto)} quedaron retenidos con la clave ${step.idempotency_key}.`
      }
    case "respondida":
      return {
        title: "Respuesta a la empresa",
        facts: `La respuesta fue «${outcomes[step.respuesta]}», determinada ${finders[step.por]}. ${repeatText(step)}`
      }
    case "repetida":
      return {
        title: "Reintento de la empresa",
        facts: `Recibió la respuesta guardada de ${subjectOf(step.sobre)}${repetition(step)}.`
      }
    case "preguntada":
      return {
        title: "Pregunta al proveedor",
        facts: `Se preguntó por ${subjectOf(step.sobre)}: ${answerName(step.respuesta)}${repetition(step)}.`
      }
    case "no_preguntada":
      return {
        title: "Pregunta sin enviar",
        facts: `No se pudo preguntar por ${subjectOf(step.sobre)}, porque ningún proveedor ni aseguradora acepta llamadas${repetition(step)}.`
      }
    case "resuelta":
      return {
        title: `Venta ${statusNames[step.status].toLowerCase()}`,
        facts: `Se resolvió ${finders[step.por]}. ${step.auth_code === null ? (step.motivo ?? "No se llegó a enviar.") : `Autorización ${step.auth_code}.`}`
      }
    case "asentada":
      return {
        title: `Asiento ${step.movimiento_id}: ${entryNames[step.tipo] ?? step.tipo}`,
        facts: `${pesos(step.monto)}. El saldo de la empresa pasó de ${pesos(step.saldo_antes)} a ${pesos(step.saldo)}.`
      }
    case "anulacion_pedida":
      return { title: "Anulación pedida", facts: `Con el xid ${step.xid}.` }
    case "anulacion_resuelta":
      return {
        title: `Anulación ${reversalNames[step.status]}`,
        facts: `Se resolvió ${finders[step.por]}. xid ${step.xid}.`
      }
    case "evento":
      return {
        title: `Evento ${step.secuencia}: ${step.tipo}`,
        facts: step.entregas.length === 0 ? "La empresa no tiene un webhook que lo reciba." : ""
      }
    case "registro":
      return { title: actionName(step.accion), facts: "" }
  }
}

const Deliveries = ({ step }: { step: StepOf<"evento"> }) => (
  <ul>
    {step.entregas.map((delivery) => (
      <li key={delivery.webhook_id}>
        <Link to={`/webhooks?webhook=${delivery.webhook_id}`}>Webhook {delivery.webhook_id}</Link>:{" "}
        {deliveryText(delivery)}
      </li>
    ))}
  </ul>
)

const hiddenDetails = new Set(["transactionId"])

const Details = ({ details }: { details: StepOf<"registro">["detalles"] }) => (
  <dl class="facts">
    {Object.entries(details)
      .filter(([name]) => !hiddenDetails.has(name))
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
  </dl>
)

const parts = [
  { name: "disponible", label: "disponible" },
  { name: "retenido", label: "retenido" },
  { name: "cobrado", label: "cobrado" }
] as const

/** Where the amount of the sale was before and after a step. */
const Money = ({ money }: { money: NonNullable<Step["dinero"]> }) => (
  <p class="money">
    Del monto de la venta,{" "}
    {parts
      .filter(({ name }) => money.antes[name] !== money.despues[name])
      .map(({ label, name }) => `${label}: ${pesos(money.antes[name])} → ${pesos(money.despues[name])}`)
      .join(" · ")}
  </p>
)

/** The history of a sale, from the call to the last delivery of its events. */
export const Timeline = ({ steps }: { steps: ReadonlyArray<Step> }) => (
  <ol class="timeline">
    {steps.map((step, place) => {
      const { facts, title } = described(step)
      return (
        <li key={place}>
          <time dateTime={step.fecha}>
            {day(step.fecha)}, {timeOfDay(step.fecha)}
          </time>
          <strong>{title}</strong>
          {facts !== "" && <p>{facts}</p>}
          {step.evento === "evento" && step.entregas.length > 0 && <Deliveries step={step} />}
          {step.evento === "registro" && <Details details={step.detalles} />}
          {step.dinero !== null && <Money money={step.dinero} />}
        </li>
      )
    })}
  </ol>
)
