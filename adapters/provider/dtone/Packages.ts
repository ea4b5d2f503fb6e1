import { Effect, Option, Schema } from "effect"
import type { Offer } from "../../../core/domain/Offered.ts"
import { type ServiceType, sellsToPhones } from "../../../core/domain/Service.ts"
import { TextBetween } from "../../../core/domain/Text.ts"
import { optionalOrNull } from "../../http/OptionalOrNull.ts"
import type { DtOneApi } from "./DtOneApi.ts"
import { logFacts } from "./LogFacts.ts"
import { packageReference } from "./ProductRequest.ts"
import { pesosOf } from "./Transaction.ts"

const Words = TextBetween(1, 200)
const Fields = optionalOrNull(Schema.Array(Schema.Array(Schema.String)))

/** A fixed-value product. DT One DVS API 1.23.0, ProductFixedValueRecharge. */
const Product = Schema.Struct({
  id: Schema.Int,
  name: Words,
  type: Schema.Literal("FIXED_VALUE_RECHARGE"),
  validity: Schema.NullOr(Schema.Struct({ unit: Schema.String, quantity: Schema.NullOr(Schema.Int) })),
  required_credit_party_identifier_fields: Fields,
  required_debit_party_identifier_fields: Fields,
  required_sender_fields: Fields,
  required_beneficiary_fields: Fields,
  required_statement_identifier_fields: Fields,
  required_additional_identifier_fields: Fields,
  destination: Schema.Struct({ unit: Schema.String, amount: Schema.Finite }),
  benefits: optionalOrNull(
    Schema.Array(
      Schema.Struct({
        type: Schema.String,
        unit: Words,
        amount: Schema.Struct({ total_including_tax: Schema.Finite })
      })
    )
  )
})
type Product = typeof Product.Type

const decodePage = Schema.decodeUnknownOption(Schema.Array(Schema.Unknown))
const decodeProduct = Schema.decodeUnknownOption(Product)

/** Limit of pages, more than any operator has. Stops at a server that always announces another page. */
const pages_max = 20

/** All packages of an operator that need only a product id and a receiver. Null without an answer. */
export const packagesOf = Effect.fnUntraced(function* (api: DtOneApi, operatorId: number, type: ServiceType) {
  const offers: Array<Offer> = []
  for (let page = 1; page <= pages_max; page++) {
    const answer = yield* api.packages(operatorId, page)
    const answered = answer._tag === "Answered" && answer.status === 200 ? answer : null
    const products = answered === null ? null : Option.getOrNull(decodePage(answered.body))
    if (answered === null || products === null) {
      yield* Effect.logWarning("DT One did not answer the lookup of packages", { operatorId, ...logFacts(answer) })
      return null
    }
    offers.push(...products.flatMap((product) => offersIn(product, type)))
    if (page >= Number(answered.headers["x-total-pages"] ?? 1)) break
  }
  return yield* once(offers)
})

// Removes duplicates, which appear if the catalogue changes while its pages are read. A package with two different
// prices is left out.
const once = Effect.fnUntraced(function* (told: ReadonlyArray<Offer>) {
  const offers: Array<Offer> = []
  for (const [reference, [offer, ...again]] of Map.groupBy(told, ({ reference }) => reference)) {
    if (offer === undefined) continue
    if (again.every(({ price }) => price === offer.price)) offers.push(offer)
    else yield* Effect.logWarning("DT One listed a package at two prices", { reference })
  }
  return offers
})

const offersIn = (product: unknown, type: ServiceType): ReadonlyArray<Offer> =>
  Option.toArray(decodeProduct(product)).flatMap((product) => {
    const price = pesosOf(product.destination)
    if (price === null || !isSellable(product, type)) return []
    return [
      {
        reference: packageReference(product.id),
        name: product.name,
        price,
        validity: validityOf(product),
        data: dataOf(product)
      }
    ]
  })

/** Whether the product needs nothing but the receiver's number. */
const isSellable = (product: Product, type: ServiceType): boolean => {
  const field = sellsToPhones(type) ? "mobile_number" : "account_number"
  const receivers = product.required_credit_party_identifier_fields ?? []
  const others = [
    product.required_debit_party_identifier_fields,
    product.required_sender_fields,
    product.required_beneficiary_fields,
    product.required_statement_identifier_fields,
    product.required_additional_identifier_fields
  ]
  return (
    receivers.some((group) => group.length === 1 && group[0] === field) &&
    others.every((fields) => (fields ?? []).every((group) => group.length === 0))
  )
}

const units: Record<string, readonly [one: string, many: string]> = {
  HOUR: ["hora", "horas"],
  DAY: ["día", "días"],
  WEEK: ["semana", "semanas"],
  MONTH: ["mes", "meses"]
}

const unlimited = -1

/** The validity in words: `7 días`. */
const validityOf = ({ validity }: Product): string | null => {
  const unit = units[validity?.unit ?? ""]
  const quantity = validity?.quantity ?? null
  if (unit === undefined || quantity === null) return null
  return quantity === unlimited ? "Sin vencimiento" : `${quantity} ${unit[quantity === 1 ? 0 : 1]}`
}

/** The amount of data in words: `2 GB`. */
const dataOf = ({ benefits }: Product): string | null => {
  const data = (benefits ?? []).find(({ type }) => type === "DATA")
  if (data === undefined) return null
  const { amount, unit } = data
  return amount.total_including_tax === unlimited ? "Ilimitado" : `${amount.total_including_tax} ${unit}`
}
