import { Schema } from "effect"
import { formatLocal } from "../../core/domain/LocalTime.ts"
import { toPesos } from "../../core/domain/Money.ts"
import { messages, type ReversalStatus, Status } from "../../core/domain/Status.ts"
import type { LatestReversal, Transaction } from "../../core/domain/Transaction.ts"
import { Currency, currency, LocalTimestamp, Pesos, ServiceName } from "./Output.ts"

export const rechargeToken = Schema.String.annotate({
  description: "Electricidad prepagada: los dígitos que el cliente digita en el medidor."
})

/** The latest reversal of a transaction. Contract: 2.5. */
const ReversalView = Schema.Struct({
  status: Schema.Literals(["PENDING", "REVERSED", "DENIED"]).annotate({
    description:
      "PENDING: sin respuesta firme todavía. REVERSED: confirmada; el monto fue devuelto. DENIED: la venta sigue cobrada y puede anularse de nuevo con otra clave."
  }),
  solicitada_en: LocalTimestamp,
  resuelta_en: Schema.NullOr(LocalTimestamp)
}).annotate({ identifier: "Anulacion", description: "La última anulación pedida; null si no se pidió ninguna." })

/** The wire status of a reversal. PROCESSING and PENDING look the same to clients: there is no firm answer yet. */
const reversalStatuses: Record<ReversalStatus, typeof ReversalView.Type.status> = {
  PROCESSING: "PENDING",
  PENDING: "PENDING",
  CONFIRMED: "REVERSED",
  DENIED: "DENIED"
}

const reversalView = ({ requestedAt, resolvedAt, status }: LatestReversal): typeof ReversalView.Type => ({
  status: reversalStatuses[status],
  solicitada_en: formatLocal(requestedAt),
  resuelta_en: resolvedAt === null ? null : formatLocal(resolvedAt)
})

/** The current state of a transaction. Contract: 2.5. */
export const TransactionView = Schema.Struct({
  transaction_id: Schema.Int,
  xid: Schema.String,
  status: Status,
  service: ServiceName,
  identifier: Schema.String,
  amount: Pesos,
  currency: Currency,
  auth_code: Schema.NullOr(Schema.String),
  recharge_token: Schema.optionalKey(rechargeToken),
  reference: Schema.String,
  terminal_id: Schema.NullOr(Schema.String),
  message: Schema.String,
  created_at: LocalTimestamp,
  processed_at: Schema.NullOr(LocalTimestamp),
  anulacion: Schema.NullOr(ReversalView)
}).annotate({ identifier: "Transaccion" })

export const transactionView = (sale: Transaction): typeof TransactionView.Type => ({
  transaction_id: sale.id,
  xid: sale.xid,
  status: sale.status,
  service: { id: sale.service.id, nombre: sale.service.name },
  identifier: sale.identifier,
  amount: toPesos(sale.amount),
  currency,
  auth_code: sale.authCode,
  ...(sale.rechargeToken !== null && { recharge_token: sale.rechargeToken }),
  reference: sale.xid,
  terminal_id: sale.terminalId,
  message: messages[sale.status],
  created_at: formatLocal(sale.createdAt),
  processed_at: sale.processedAt === null ? null : formatLocal(sale.processedAt),
  anulacion: sale.reversal === null ? null : reversalView(sale.reversal)
})

/** The transaction of the examples in the documentation. */
export const transactionExample: typeof TransactionView.Type = {
  transaction_id: 1,
  xid: "RD-3f2a9c1be07d4a55c1d2e3f4",
  status: "SUCCESS",
  service: { id: 1, nombre: "Recarga Caribe Móvil" },
  identifier: "8095551234",
  amount: 100,
  currency: "DOP",
  auth_code: "SBX3F2A9C1BE07D",
  reference: "RD-3f2a9c1be07d4a55c1d2e3f4",
  terminal_id: "caja-1",
  message: "Operación exitosa.",
  created_at: "2026-01-31 14:05:08",
  processed_at: "2026-01-31 14:05:09",
  anulacion: null
}

/** The columns of transactions as CSV. Contract: 4.7. */
export const csvColumns = [
  ...([
    "transaction_id",
    "xid",
    "idempotency_key",
    "status",
    "service_id",
    "servicio",
    "identifier",
    "amount"
  ] as const),
  ...(["auth_code", "terminal_id", "created_at", "processed_at"] as const)
]

/** A row of the CSV. */
export const csvRowOf = ({ service, ...view }: typeof TransactionView.Type, key: string) => ({
  ...view,
  service_id: service.id,
  servicio: service.nombre,
  idempotency_key: key
})
