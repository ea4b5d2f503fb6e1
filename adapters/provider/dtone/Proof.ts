import { Schema } from "effect"
import { lacksRechargeToken, readRechargeToken, sellsRechargeTokens } from "../../../core/domain/RechargeToken.ts"
import type { Delivery, Order } from "../../../core/domain/Sale.ts"
import { isClean } from "../../../core/domain/Text.ts"
import { optionalOrNull } from "../../http/OptionalOrNull.ts"

/** The proof of a delivery: DT One's transaction id, the operator's reference, and the PIN if one was bought. */
export const Proof = Schema.Struct({
  id: Schema.Union([Schema.Finite, Schema.String]),
  operator_reference: optionalOrNull(Schema.String),
  pin: optionalOrNull(Schema.Struct({ code: optionalOrNull(Schema.String), serial: optionalOrNull(Schema.String) })),
  product: optionalOrNull(Schema.Struct({ id: Schema.Int, type: Schema.optionalKey(Schema.String) }))
})
type Proof = typeof Proof.Type

/** A delivery, and whether the bought PIN is missing. DT One may omit the product type. */
export interface Delivered {
  readonly delivery: Delivery
  readonly pinMissing: boolean
}

const authCode_max = 100

/** Text that can be stored and printed. An unprintable code is dropped, because that is no reason to hold the money. */
const printable = (text: string | null | undefined): string | null => {
  const trimmed = text?.trim() ?? ""
  return trimmed !== "" && trimmed.length <= authCode_max && isClean(trimmed) ? trimmed : null
}

// A number beyond the exact range of a double was rounded, and would identify another transaction.
const numberOf = (id: Proof["id"]): string | null =>
  typeof id === "string" || Number.isSafeInteger(id) ? printable(String(id)) : null

/**
 * The delivery that a proof describes. The authorization code is the operator's reference or, without one, DT One's
 * transaction id or the xid. A PIN is what the customer bought: for electricity it is the recharge token of the meter;
 * otherwise it is the authorization code. Contract: 2.5.
 */
export const deliveryOf = ({ service, xid }: Order, { id, operator_reference, pin, product }: Proof): Delivered => {
  const code = printable(pin?.code)
  const reference = printable(operator_reference) ?? printable(pin?.serial) ?? numberOf(id) ?? xid
  const electricity = sellsRechargeTokens(service.type)
  // Keeps a code of unknown format unchanged, because it is what DT One sold.
  const rechargeToken = electricity && code !== null ? (readRechargeToken(code) ?? code) : null
  return {
    delivery: { authCode: electricity ? reference : (code ?? reference), rechargeToken },
    pinMissing:
      lacksRechargeToken(service.type, rechargeToken) ||
      (code === null && (product?.type ?? "").endsWith("_PIN_PURCHASE"))
  }
}
