import { Schema } from "effect"
import { formatLocal } from "../../core/domain/LocalTime.ts"
import { toPesos } from "../../core/domain/Money.ts"
import type { Receipt } from "../../core/domain/Receipt.ts"
import { rechargeToken } from "./TransactionView.ts"
import { Currency, currency, LocalTimestamp, Pesos } from "./Views.ts"

/** Contract: 2.5. */
export const ReceiptView = Schema.Struct({
  transaction_id: Schema.Int,
  xid: Schema.String,
  auth_code: Schema.String,
  recharge_token: Schema.optionalKey(rechargeToken),
  emisor: Schema.String,
  comercio: Schema.String,
  servicio: Schema.String,
  identifier: Schema.String,
  amount: Pesos,
  currency: Currency,
  processed_at: LocalTimestamp,
  mensaje: Schema.String
}).annotate({ identifier: "Comprobante" })

export const receiptView = (receipt: Receipt): typeof ReceiptView.Type => ({
  transaction_id: receipt.transactionId,
  xid: receipt.xid,
  auth_code: receipt.authCode,
  ...(receipt.rechargeToken !== null && { recharge_token: receipt.rechargeToken }),
  emisor: receipt.issuer,
  comercio: receipt.merchant,
  servicio: receipt.service,
  identifier: receipt.identifier,
  amount: toPesos(receipt.amount),
  currency,
  processed_at: formatLocal(receipt.processedAt),
  mensaje: receipt.message
})
