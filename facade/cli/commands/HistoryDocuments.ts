import type { DateTime } from "effect"
import type { Entry } from "../../../core/domain/Account.ts"
import {
  type AmountParts,
  type EventDelivery,
  type FoundBy,
  HistoryEvent,
  type Moment,
  type Movement
} from "../../../core/domain/History.ts"
import { formatLocal } from "../../../core/domain/LocalTime.ts"
import { toPesos } from "../../../core/domain/Money.ts"
import { entryView } from "../../api/Movimientos.ts"
import { type Document, formatFields } from "../terminal/Output.ts"

/** The company's balance before a ledger entry, in pesos. */
const balanceBefore = ({ amount, balance }: Entry): number => toPesos(balance - amount)

/** An event of a sale's history as JSON. */
const eventDocument = HistoryEvent.$match({
  Reserved: ({ amount, key }): Document => ({ evento: "reserved", idempotency_key: key, monto: toPesos(amount) }),
  Answered: ({ by, outcome, repeatsUntil }): Document => ({
    evento: "answered",
    respuesta: outcome,
    por: by,
    se_repite_hasta: repeatsUntil === null ? null : formatLocal(repeatsUntil)
  }),
  Replayed: ({ about, times, until }): Document => ({
    evento: "replayed",
    sobre: about,
    veces: times,
    ultima: formatLocal(until)
  }),
  Asked: ({ about, answer, times, until }): Document => ({
    evento: "asked",
    sobre: about,
    respuesta: answer,
    veces: times,
    ultima: formatLocal(until)
  }),
  NotAsked: ({ about, times, until }): Document => ({
    evento: "not_asked",
    sobre: about,
    veces: times,
    ultima: formatLocal(until)
  }),
  Settled: ({ authCode, by, refusal, status }): Document => ({
    evento: "settled",
    status,
    por: by,
    auth_code: authCode,
    motivo: refusal
  }),
  Entered: ({ entry }): Document => {
    const { monto, movimiento_id, saldo, tipo } = entryView(entry)
    return { evento: "entered", movimiento_id, tipo, monto, saldo_antes: balanceBefore(entry), saldo }
  },
  ReversalBegun: ({ xid }): Document => ({ evento: "reversal_begun", xid }),
  ReversalEnded: ({ by, status, xid }): Document => ({ evento: "reversal_ended", xid, status, por: by }),
  Reported: ({ event: { deliveries, sequence, type } }): Document => ({
    evento: "reported",
    secuencia: sequence,
    type,
    entregas: deliveries.map(({ attempts, error, httpStatus, state, webhookId }) => ({
      webhook_id: webhookId,
      estado: state,
      intento: attempts,
      http_status: httpStatus,
      error
    }))
  }),
  Audited: ({ action, details }): Document => ({ evento: action, detalles: details })
})

const formatRepetition = (times: number, until: DateTime.Utc): string =>
  times === 1 ? "" : `, ${times} times until ${formatLocal(until)}`

const foundByTexts: Readonly<Record<FoundBy, string>> = {
  call: "by the call itself",
  recovery: "by recovery",
  operator: "by two operators",
  question: "by the answer to an operator's question"
}

const formatDelivery = ({ attempts, error, httpStatus, state, webhookId }: EventDelivery): string =>
  [`webhook ${webhookId} ${state}`, `attempts ${attempts}`, httpStatus === null ? null : `status ${httpStatus}`, error]
    .filter((part) => part !== null)
    .join(", ")

/** An event of a sale's history as text. */
const formatEvent = HistoryEvent.$match({
  Reserved: ({ amount, key }) => `reserved: ${toPesos(amount)} pesos held, under the key ${key}`,
  Answered: ({ by, outcome, repeatsUntil }) =>
    `answered ${outcome} ${foundByTexts[by]}; a retry receives the same response ${repeatsUntil === null ? "while it is unresolved" : `until ${formatLocal(repeatsUntil)}`}`,
  Replayed: ({ about, times, until }) =>
    `a retry received the stored response of the ${about}${formatRepetition(times, until)}`,
  Asked: ({ about, answer, times, until }) =>
    `status query about the ${about}: ${answer}${formatRepetition(times, until)}`,
  NotAsked: ({ about, times, until }) =>
    `a status query about the ${about} could not be sent, because the provider or insurer accepts no calls${formatRepetition(times, until)}`,
  Settled: ({ authCode, by, refusal, status }) =>
    `settled ${foundByTexts[by]}: ${[status, authCode ?? refusal ?? "never sent"].join(", ")}`,
  Entered: ({ entry }) =>
    `ledger entry ${entry.id}, ${entry.type}: ${toPesos(entry.amount)} pesos, leaving ${toPesos(entry.balance)}`,
  ReversalBegun: ({ xid }) => `reversal begun as ${xid}`,
  ReversalEnded: ({ by, status, xid }) => `reversal ${xid} ended ${foundByTexts[by]}: ${status}`,
  Reported: ({ event: { deliveries, sequence, type } }) =>
    `event ${sequence}, ${type}: ${deliveries.length === 0 ? "no webhook" : deliveries.map(formatDelivery).join("; ")}`,
  Audited: ({ action, details }) => `${action}: ${formatFields(details).replaceAll("\n", ", ")}`
})

const partsDocument = ({ available, charged, held }: AmountParts): Document => ({
  disponible: toPesos(available),
  retenido: toPesos(held),
  cobrado: toPesos(charged)
})

const moneyDocument = (money: Movement | null): Document =>
  money === null ? {} : { dinero: { antes: partsDocument(money.before), despues: partsDocument(money.after) } }

const partNames = ["available", "held", "charged"] as const

/** The parts of the sale's amount that a step changes, before and after it. */
const formatMoney = (money: Movement | null): string => {
  if (money === null) return ""
  const { after, before } = money
  const changed = partNames.filter((name) => before[name] !== after[name])
  return ` (${changed.map((name) => `${name} ${toPesos(before[name])} -> ${toPesos(after[name])}`).join(", ")})`
}

/** The history of a sale as JSON. */
export const historyDocument = (timeline: ReadonlyArray<Moment>): ReadonlyArray<Document> =>
  timeline.map(({ at, event, money }) => ({ fecha: formatLocal(at), ...eventDocument(event), ...moneyDocument(money) }))

/** The history of a sale as text. */
export const formatHistory = (timeline: ReadonlyArray<Moment>): string =>
  timeline.map(({ at, event, money }) => `${formatLocal(at)}  ${formatEvent(event)}${formatMoney(money)}`).join("\n")
