import { DateTime } from "effect"
import { CompanyId, Identifier, ServiceId, TransactionId } from "../../../core/domain/Ids.ts"
import { Amount } from "../../../core/domain/Money.ts"
import type { Reversal } from "../../../core/domain/Reversal.ts"
import type { Order } from "../../../core/domain/Sale.ts"

/** Names of sales and reversals, none like another. */
export const xidOf = (number: number): string => `RD-${number.toString(16).padStart(24, "0")}`

/** A top-up of 100 pesos in production, made when the test's clock began. */
export const order = (number: number, changes: Partial<Order> = {}): Order => ({
  companyId: CompanyId.make(7),
  transactionId: TransactionId.make(number),
  environment: "production",
  xid: xidOf(number),
  service: { id: ServiceId.make(1), name: "Recarga Caribe Móvil", type: "mobile_recharge" },
  identifier: Identifier.make("8095551234"),
  amount: Amount.make(10_000),
  product: null,
  reference: null,
  createdAt: DateTime.makeUnsafe(0),
  ...changes
})

/** The reversal of an order. */
export const reversalOf = (sold: Order): Reversal => ({
  id: sold.transactionId,
  xid: xidOf(sold.transactionId + 0xf000),
  createdAt: sold.createdAt,
  order: sold
})
