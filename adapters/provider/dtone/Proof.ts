import { Schema } from "effect"
import { lacksRechargeToken, readRechargeToken, sellsRechargeTokens } from "../../../core/domain/RechargeToken.ts"
import type { Delivery, Order } from "../../../core/domain/Sale.ts"
import { isClean } from "../../../core/domain/Text.ts"
import { optionalOrNull } from "../../http/OptionalOrNull.ts"

/** What proves a delivery: DT One's number of it, the operator's reference, and the PIN where one was bought. */
export const Proof = Schema.Struct({
  id: Schema.Union([Schema.Finite, Schema.String]),
  operator_reference: optionalOrNull(Schema.String),
  pin: optionalOrNull(Schema.Struct({ code: optionalOrNull(Schema.String), serial: optionalOrNull(Schema.String) })),
  product: optionalOrNull(Schema.Struct({ id: Schema.Int, type: Schema.optionalKey(Schema.String) }))
})
type Proof = typeof Proof.Type

/** A delivery, and whether the PIN is missing that was bought. DT One need not tell the type of its product. */
export interface Delivered {
  readonly delivery: Delivery
  readonly pinMissing: boolean
}

const authCode_max = 100

/** What can be stored and printed. An unprintable code is dropped; that is no reason to hold the money. */
const printable = (text: string | null | undefined): string | null => {
  const trimmed = text?.trim() ?? ""
  return trimmed !== "" && trimmed.length <= authCode_max && isClean(trimmed) ? trimmed : null
}

// A number too large for a double has been rounded, and is another transaction's.
const numberOf = (id: Proof["id"]): string | null =>
  typeof id === "string" || Number.isSafeInteger(id) ? printable(String(id)) : null

/**
 * The operator's reference is the authorization code or, without one, whatever else finds the delivery at DT One. A PIN
 * goes where its customer finds it: into the meter's token for electricity, and else it is the code, because it is what
 * was bought. Contract: 2.5.
 */
export const deliveryOf = ({ service, xid }: Order, { id, operator_reference, pin, product }: Proof): Delivered => {
  const code = printable(pin?.code)
  const reference = printable(operator_reference) ?? printable(pin?.serial) ?? numberOf(id) ?? xid
  const electricity = sellsRechargeTokens(service.type)
  // A meter may take a code of another form: it is what DT One sold.
  const rechargeToken = electricity && code !== null ? (readRechargeToken(code) ?? code) : null
  return {
    delivery: { authCode: electricity ? reference : (code ?? reference), rechargeToken },
    pinMissing:
      lacksRechargeToken(service.type, rechargeToken) ||
      (code === null && (product?.type ?? "").endsWith("_PIN_PURCHASE"))
  }
}
