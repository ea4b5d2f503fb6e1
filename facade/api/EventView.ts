import { Schema } from "effect"
import { owned } from "../../core/domain/Account.ts"
import { type CompanyEvent, EventSubject, eventId } from "../../core/domain/Event.ts"
import { formatOffset } from "../../core/domain/LocalTime.ts"
import { toPesos } from "../../core/domain/Money.ts"
import { EventType } from "../../core/domain/Webhook.ts"
import { EntryView, entryView } from "./Movimientos.ts"
import { Pesos, PolicyDay } from "./Output.ts"
import { TransactionView, transactionView } from "./TransactionView.ts"

/** The end of the sale of a policy: issued or failed. Contains no data of the insured person. Contract: 6. */
const PolicyView = Schema.Struct({
  seguro_id: Schema.Int,
  transaction_id: Schema.Int,
  numero_poliza: Schema.NullOr(Schema.String),
  vigencia_desde: PolicyDay,
  vigencia_hasta: PolicyDay
}).annotate({
  identifier: "EventoSeguro",
  description: "numero_poliza y vigencia_* son null si la póliza no se emitió."
})

const LowBalanceView = Schema.Struct({
  saldo_actual: Pesos,
  saldo_disponible: Pesos,
  saldo_retenido: Pesos,
  alerta_saldo_bajo: Pesos
}).annotate({ identifier: "EventoSaldo" })

const TestView = Schema.Struct({ webhook_id: Schema.Int }).annotate({ identifier: "EventoPrueba" })

/** The types of events. */
export const EventTypeName = EventType.annotate({ identifier: "TipoEvento" })

const envelope = {
  id: Schema.String.annotate({
    description: "Siempre el mismo en los reintentos y reenvíos.",
    examples: ["evt_3_17"]
  }),
  secuencia: Schema.Int.annotate({
    description: "Crece por empresa, en el orden en que ocurrieron los hechos. Puede haber saltos."
  }),
  timestamp: Schema.String.annotate({ format: "date-time", examples: ["2026-01-31T14:05:09-04:00"] }),
  empresa_id: Schema.Int
}

const eventOf = <T extends Schema.Top, S extends Schema.Top>(type: T, data: S) =>
  Schema.Struct({ ...envelope, type, data })

const saleEvent = eventOf(
  Schema.Literals([
    "transaction.pending",
    "transaction.succeeded",
    "transaction.failed",
    "transaction.reversed",
    "reversal.failed"
  ]),
  TransactionView
).annotate({ identifier: "EventoDeTransaccion" })

const policyEvent = eventOf(Schema.Literals(["insurance.issued", "insurance.failed"]), PolicyView).annotate({
  identifier: "EventoDeSeguro"
})

const balanceEvent = eventOf(Schema.Literals(["balance.low", "balance.recovered"]), LowBalanceView).annotate({
  identifier: "EventoDeSaldo"
})

const movementEvent = eventOf(Schema.Literals(["balance.deposited", "balance.adjusted"]), EntryView).annotate({
  identifier: "EventoDeMovimiento"
})

const testEvent = eventOf(Schema.Literal("webhook.test"), TestView).annotate({ identifier: "EventoDePrueba" })

/** The shapes of an event, by the name of their request in the OpenAPI document. */
export const eventViews = {
  eventoDeTransaccion: { summary: "Una venta o su anulación cambió de estado", view: saleEvent },
  eventoDeSeguro: { summary: "Terminó la venta de una póliza", view: policyEvent },
  eventoDeSaldo: { summary: "El disponible cruzó la alerta de saldo bajo", view: balanceEvent },
  eventoDeMovimiento: { summary: "El operador depositó o ajustó el saldo", view: movementEvent },
  eventoDePrueba: { summary: "La empresa pidió una prueba", view: testEvent }
} as const

/** An event, as webhooks send it and GET /v1/eventos lists it. Contract: 6. */
export const EventView = Schema.Union([saleEvent, policyEvent, balanceEvent, movementEvent, testEvent]).annotate({
  identifier: "Evento"
})

type EventData = (typeof EventView.Type)["data"]

const dataOf = EventSubject.$match({
  Sale: ({ transaction }): EventData => transactionView(transaction),
  Policy: ({ insuranceId, policyNumber, transactionId, validFrom, validUntil }): EventData => ({
    seguro_id: insuranceId,
    transaction_id: transactionId,
    numero_poliza: policyNumber,
    vigencia_desde: validFrom,
    vigencia_hasta: validUntil
  }),
  Balance: ({ alert, available, held }): EventData => ({
    saldo_actual: toPesos(owned({ available, held })),
    saldo_disponible: toPesos(available),
    saldo_retenido: toPesos(held),
    alerta_saldo_bajo: toPesos(alert)
  }),
  Movement: ({ entry }): EventData => entryView(entry),
  Test: ({ webhookId }): EventData => ({ webhook_id: webhookId })
})

// The type of an event determines the shape of its data, which the compiler cannot see.
export const eventView = (event: CompanyEvent): typeof EventView.Type =>
  ({
    id: eventId(event.companyId, event.sequence),
    type: event.type,
    secuencia: event.sequence,
    timestamp: formatOffset(event.at),
    empresa_id: event.companyId,
    data: dataOf(event.subject)
  }) as typeof EventView.Type
