import { messages } from "../../core/domain/Status.ts"
import type { EventType } from "../../core/domain/Webhook.ts"
import type { EventView } from "./EventView.ts"
import { transactionExample } from "./TransactionView.ts"

/** When a type of event is written, in Spanish, and an event of this type as a webhook receives it. */
interface EventExample {
  readonly when: string
  readonly event: typeof EventView.Type
}

const common = { empresa_id: 1, timestamp: "2026-01-31T14:05:09-04:00" }

const identified = (secuencia: number) => ({ id: `evt_1_${secuencia}`, secuencia })

const pendingSale = {
  ...transactionExample,
  status: "PENDING",
  auth_code: null,
  message: messages.PENDING,
  processed_at: null
} as const

const failedSale = {
  ...transactionExample,
  status: "FAILED",
  auth_code: null,
  message: messages.FAILED
} as const

const requested = { solicitada_en: "2026-01-31 14:20:00", resuelta_en: "2026-01-31 14:20:01" }

const reversedSale = {
  ...transactionExample,
  status: "REVERSED",
  message: messages.REVERSED,
  anulacion: { status: "REVERSED", ...requested }
} as const

const deniedReversal = { ...transactionExample, anulacion: { status: "DENIED", ...requested } } as const

const issuedPolicy = {
  seguro_id: 1,
  transaction_id: 2,
  numero_poliza: "SBX3F2A9C1BE07D",
  vigencia_desde: "2026-01-31",
  vigencia_hasta: "2027-01-30"
}

const entry = { transaction_id: null, saldo: 100_000, fecha: "2026-01-31 14:05:09" }

/** An example of each type of event. Contract: 6.1. */
export const eventExamples: { readonly [Type in EventType]: EventExample } = {
  "transaction.pending": {
    when: "Una venta quedó sin resultado firme. Su monto sigue retenido.",
    event: { ...identified(1), type: "transaction.pending", ...common, data: pendingSale }
  },
  "transaction.succeeded": {
    when: "Una venta se cobró.",
    event: { ...identified(2), type: "transaction.succeeded", ...common, data: transactionExample }
  },
  "transaction.failed": {
    when: "Una venta no se hizo. Su monto volvió al saldo disponible.",
    event: { ...identified(3), type: "transaction.failed", ...common, data: failedSale }
  },
  "transaction.reversed": {
    when: "Una venta se anuló. Su monto volvió al saldo disponible.",
    event: { ...identified(4), type: "transaction.reversed", ...common, data: reversedSale }
  },
  "reversal.failed": {
    when: "El proveedor rechazó una anulación. La venta sigue cobrada.",
    event: { ...identified(5), type: "reversal.failed", ...common, data: deniedReversal }
  },
  "insurance.issued": {
    when: "La aseguradora emitió una póliza.",
    event: { ...identified(6), type: "insurance.issued", ...common, data: issuedPolicy }
  },
  "insurance.failed": {
    when: "La venta de una póliza terminó sin póliza. Su monto volvió al saldo disponible.",
    event: {
      ...identified(7),
      type: "insurance.failed",
      ...common,
      data: { ...issuedPolicy, numero_poliza: null, vigencia_desde: null, vigencia_hasta: null }
    }
  },
  "balance.low": {
    when: "saldo_disponible bajó de alerta_saldo_bajo. El evento no se repite hasta que saldo_disponible se recupere.",
    event: {
      ...identified(8),
      type: "balance.low",
      ...common,
      data: { saldo_actual: 4_950, saldo_disponible: 4_900, saldo_retenido: 50, alerta_saldo_bajo: 5_000 }
    }
  },
  "balance.recovered": {
    when: "saldo_disponible ya no está por debajo de alerta_saldo_bajo.",
    event: {
      ...identified(9),
      type: "balance.recovered",
      ...common,
      data: { saldo_actual: 24_950, saldo_disponible: 24_900, saldo_retenido: 50, alerta_saldo_bajo: 5_000 }
    }
  },
  "balance.deposited": {
    when: "El operador registró un depósito.",
    event: {
      ...identified(10),
      type: "balance.deposited",
      ...common,
      data: { movimiento_id: 1, tipo: "deposit", monto: 100_000, ...entry, referencia: "deposito-1" }
    }
  },
  "balance.adjusted": {
    when: "El operador corrigió el saldo, o se restableció el saldo diario del sandbox. monto es negativo si el saldo disminuyó.",
    event: {
      ...identified(11),
      type: "balance.adjusted",
      ...common,
      data: { movimiento_id: 2, tipo: "adjustment", monto: -500, ...entry, saldo: 99_500, referencia: "ajuste-1" }
    }
  },
  "webhook.test": {
    when: "La empresa pidió una prueba de un webhook.",
    event: { ...identified(12), type: "webhook.test", ...common, data: { webhook_id: 1 } }
  }
}
