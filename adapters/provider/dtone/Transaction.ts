import { Data, Option, Result, Schema } from "effect"
import type { Refusal } from "../../../core/domain/Errors.ts"
import { AmountLiteral, readAmount } from "../../../core/domain/Money.ts"
import {
  type Delivery,
  lacksRechargeToken,
  type Order,
  readRechargeToken,
  sellsRechargeTokens
} from "../../../core/domain/Sale.ts"
import { isClean, withoutHidden } from "../../../core/domain/Text.ts"
import { optionalOrNull } from "../../http/GatewayProtocol.ts"
import type { ProductRequest } from "./ProductRequest.ts"

/**
 * The proof of a delivery: DT One's transaction id, the mobile operator's reference, and the PIN if the customer bought
 * one.
 */
const Proof = Schema.Struct({
  id: Schema.Union([Schema.Finite, Schema.String]),
  operator_reference: optionalOrNull(Schema.String),
  pin: optionalOrNull(Schema.Struct({ code: optionalOrNull(Schema.String), serial: optionalOrNull(Schema.String) })),
  product: optionalOrNull(Schema.Struct({ id: Schema.Int, type: Schema.optionalKey(Schema.String) }))
})
type Proof = typeof Proof.Type

/**
 * A delivery, and whether the PIN that the customer bought is missing in DT One's answer. DT One may omit the product type.
 */
interface Delivered {
  readonly delivery: Delivery
  readonly pinMissing: boolean
}

const authCode_max = 100

/**
 * Text that can be stored and printed, without hidden characters. An unprintable code becomes null, because the money must
 * not stay held only for that reason.
 */
const printable = (text: string | null | undefined): string | null => {
  const trimmed = withoutHidden(text ?? "").trim()
  return trimmed !== "" && trimmed.length <= authCode_max && isClean(trimmed) ? trimmed : null
}

// DT One's transaction id as text. A number beyond the exact range of a double becomes null, because it was rounded and
// would identify another transaction.
const numberOf = (id: Proof["id"]): string | null =>
  typeof id === "string" || Number.isSafeInteger(id) ? printable(String(id)) : null

/**
 * The delivery that a proof describes. The authorization code is the mobile operator's reference or, without that
 * reference, DT One's transaction id or the xid. If the customer bought a PIN, the PIN is the recharge token for
 * electricity, and the authorization code for all other services. Contract: 2.5.
 */
const deliveryOf = ({ service, xid }: Order, { id, operator_reference, pin, product }: Proof): Delivered => {
  const code = printable(pin?.code)
  const reference = printable(operator_reference) ?? printable(pin?.serial) ?? numberOf(id) ?? xid
  const electricity = sellsRechargeTokens(service.type)
  // Keeps a PIN of unknown format unchanged, because DT One sold it in this format.
  const rechargeToken = electricity && code !== null ? (readRechargeToken(code) ?? code) : null
  return {
    delivery: { authCode: electricity ? reference : (code ?? reference), rechargeToken },
    pinMissing:
      lacksRechargeToken(service.type, rechargeToken) ||
      (code === null && (product?.type ?? "").endsWith("_PIN_PURCHASE"))
  }
}

/** An amount with its unit, as in DT One's API. */
const Quantity = Schema.Struct({ unit: Schema.String, amount: Schema.Finite })
const Values = optionalOrNull(Schema.Struct({ destination: optionalOrNull(Quantity) }))

/** The fields of a transaction that Saldo reads. DT One DVS API 1.23.0, Transaction. */
export const Transaction = Schema.Struct({
  ...Proof.fields,
  external_id: Schema.String,
  status: Schema.Struct({
    message: Schema.optionalKey(Schema.String),
    class: Schema.Struct({ message: Schema.String })
  }),
  credit_party_identifier: optionalOrNull(
    Schema.Struct({ mobile_number: optionalOrNull(Schema.String), account_number: optionalOrNull(Schema.String) })
  ),
  statement_identifier: optionalOrNull(Schema.Struct({ reference: optionalOrNull(Schema.String) })),
  requested_values: Values,
  adjusted_values: Values
})
export type Transaction = typeof Transaction.Type

const decode = Schema.decodeUnknownOption(Transaction)

/** Decodes a transaction. Null if the body is not a transaction. */
export const transactionIn = (body: unknown): Transaction | null => Option.getOrNull(decode(body))

const decodeList = Schema.decodeUnknownOption(Schema.Array(Transaction))

/** Decodes a list of transactions. Null if the body is not such a list. */
export const transactionsIn = (body: unknown): ReadonlyArray<Transaction> | null => Option.getOrNull(decodeList(body))

/** The state of an order at DT One, as far as Saldo knows it. */
export type Standing = Data.TaggedEnum<{
  Delivered: Delivered
  Refused: { readonly refusal: Refusal; readonly status: string }
  /** The order is, or may be, still in progress. */
  Open: {}
  /** DT One delivered the order and later reversed it. */
  TakenBack: {}
  /** The answer contradicts the order, so Saldo concludes nothing from it. */
  Contradicted: { readonly facts: ReadonlyArray<string> }
  NotFound: {}
  /** DT One gave no readable answer. */
  NoAnswer: {}
  /** The query never left this process. */
  NotAsked: {}
}>
export const Standing = Data.taggedEnum<Standing>()

/**
 * The state that follows from the status class of a transaction. It is `Contradicted` if the transaction belongs to
 * another order.
 */
export const standingOf = (order: Order, requested: ProductRequest, transaction: Transaction): Standing => {
  const facts = contradictions(order, requested, transaction)
  if (facts.length > 0) return Standing.Contradicted({ facts })
  const { class: statusClass, message: status = statusClass.message } = transaction.status
  switch (statusClass.message) {
    case "COMPLETED":
      return Standing.Delivered(deliveryOf(order, transaction))
    case "REJECTED":
    case "DECLINED":
    case "CANCELLED":
      return Standing.Refused({ refusal: refusalOf(status), status })
    case "REVERSED":
      return Standing.TakenBack()
    default:
      return Standing.Open()
  }
}

const refusalOf = (status: string): Refusal =>
  status.endsWith("-INVALID-CREDIT-PARTY") ? "INVALID_PHONE" : "TRANSACTION_REJECTED"

/**
 * The names of the facts in which a transaction differs from its order. A fact that the transaction lacks is not a
 * difference.
 */
const contradictions = (order: Order, requested: ProductRequest, transaction: Transaction): ReadonlyArray<string> => {
  const { adjusted_values, credit_party_identifier: party, product, requested_values } = transaction
  const facts: ReadonlyArray<readonly [string, unknown, unknown]> = [
    ["external_id", transaction.external_id, order.xid],
    ["product.id", product?.id, requested.productId],
    [
      "mobile_number",
      party?.mobile_number,
      "mobile_number" in requested.party ? requested.party.mobile_number : undefined
    ],
    [
      "account_number",
      party?.account_number,
      "account_number" in requested.party ? requested.party.account_number : undefined
    ],
    ["statement_identifier", transaction.statement_identifier?.reference, requested.statement],
    ["requested_values", amountOf(requested_values?.destination), requested.amount],
    ["adjusted_values", amountOf(adjusted_values?.destination), requested.amount]
  ]
  return facts.flatMap(([fact, told, expected]) =>
    told === undefined || told === null || expected === undefined || expected === null || told === expected
      ? []
      : [fact]
  )
}

/**
 * An amount in centavos of DOP. Undefined if the amount is absent. A text if the currency is not DOP or the amount is
 * not valid.
 */
const amountOf = (quantity: typeof Quantity.Type | null | undefined): number | string | undefined => {
  if (quantity === undefined || quantity === null) return undefined
  return pesosOf(quantity) ?? `${quantity.amount} ${quantity.unit}`
}

/** Converts a positive amount in DOP to centavos. Null for all other amounts. */
export const pesosOf = ({ amount, unit }: typeof Quantity.Type) =>
  unit === "DOP"
    ? Result.getOrElse(readAmount(AmountLiteral.NumberLiteral({ text: String(amount) })), () => null)
    : null
