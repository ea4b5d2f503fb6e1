import { Data, Option, Result, Schema } from "effect"
import type { Refusal } from "../../../core/domain/Errors.ts"
import { AmountLiteral, readAmount } from "../../../core/domain/Money.ts"
import type { Order } from "../../../core/domain/Sale.ts"
import { optionalOrNull } from "../../http/OptionalOrNull.ts"
import type { ProductRequest } from "./ProductRequest.ts"
import { type Delivered, deliveryOf, Proof } from "./Proof.ts"

/** Money or a quantity of it as DT One writes it. */
const Quantity = Schema.Struct({ unit: Schema.String, amount: Schema.Finite })
const Values = optionalOrNull(Schema.Struct({ destination: optionalOrNull(Quantity) }))

/** What of a transaction is read. DT One DVS API 1.23.0, Transaction. */
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

/** The transaction that an answer is; null if it is none. */
export const transactionIn = (body: unknown): Transaction | null => Option.getOrNull(decode(body))

const decodeList = Schema.decodeUnknownOption(Schema.Array(Transaction))

/** The transactions that an answer lists; null if it is no such list. */
export const transactionsIn = (body: unknown): ReadonlyArray<Transaction> | null => Option.getOrNull(decodeList(body))

/** Where an order stands with DT One, as far as can be told. */
export type Standing = Data.TaggedEnum<{
  Delivered: Delivered
  Refused: { readonly refusal: Refusal; readonly status: string }
  /** It is on its way, or may still be. */
  Open: {}
  /** It was delivered, and DT One has taken it back since. */
  TakenBack: {}
  /** What is said of it is not what was asked for: nothing follows from it. */
  Contradicted: { readonly facts: ReadonlyArray<string> }
  NotFound: {}
  /** Nothing that can be read was said. */
  NoAnswer: {}
  /** The question did not leave this process. */
  NotAsked: {}
}>
export const Standing = Data.taggedEnum<Standing>()

/** Where a transaction stands, by the class of its status, if it is that of the order. */
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

/** The facts of a transaction that are not those of the order. What it does not tell contradicts nothing. */
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

/** Centavos of DOP; undefined where nothing is told; text where what is told is something else. */
const amountOf = (quantity: typeof Quantity.Type | null | undefined): number | string | undefined => {
  if (quantity === undefined || quantity === null) return undefined
  return pesosOf(quantity) ?? `${quantity.amount} ${quantity.unit}`
}

/** An amount of pesos above zero, in centavos; null if it is something else. */
export const pesosOf = ({ amount, unit }: typeof Quantity.Type) =>
  unit === "DOP"
    ? Result.getOrElse(readAmount(AmountLiteral.NumberLiteral({ text: String(amount) })), () => null)
    : null
