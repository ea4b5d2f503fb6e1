import { Schema } from "effect"
import { formatLocal, formatOffset } from "../../core/domain/LocalTime.ts"
import { toPesos } from "../../core/domain/Money.ts"
import type { Outcome } from "../../core/domain/Sale.ts"
import { messages, Status } from "../../core/domain/Status.ts"
import type { Transaction } from "../../core/domain/Transaction.ts"
import { Currency, currency, LocalTimestamp, Pesos, ServiceName } from "./Views.ts"

export const rechargeToken = Schema.String.annotate({
  description: "Electricidad prepagada: los dígitos que el cliente marca en el medidor."
})

/** What a sale answers. Contract: 2.5. */
export const SaleView = Schema.Struct({
  transaction_id: Schema.Int,
  status: Schema.Literal("SUCCESS"),
  xid: Schema.String,
  auth_code: Schema.String,
  recharge_token: Schema.optionalKey(rechargeToken),
  service: ServiceName,
  identifier: Schema.String,
  amount: Pesos,
  currency: Currency,
  message: Schema.String,
  processed_at: Schema.String.annotate({ format: "date-time", examples: ["2026-01-31T14:05:09-04:00"] })
}).annotate({ identifier: "Venta" })

type Delivered = Extract<Outcome, { readonly _tag: "Delivered" }>

export const saleView = ({ delivery, order, processedAt }: Delivered): typeof SaleView.Type => ({
  transaction_id: order.transactionId,
  status: "SUCCESS",
  xid: order.xid,
  auth_code: delivery.authCode,
  ...(delivery.rechargeToken !== null && { recharge_token: delivery.rechargeToken }),
  service: { id: order.service.id, nombre: order.service.name },
  identifier: order.identifier,
  amount: toPesos(order.amount),
  currency,
  message: messages.SUCCESS,
  processed_at: formatOffset(processedAt)
})

/** A transaction as it stands. Contract: 2.5. */
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
  processed_at: Schema.NullOr(LocalTimestamp)
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
  processed_at: sale.processedAt === null ? null : formatLocal(sale.processedAt)
})
