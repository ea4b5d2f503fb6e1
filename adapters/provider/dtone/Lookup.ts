import { Effect, Option, Schema } from "effect"
import { LookupAnswer, type LookupQuery, type Offer } from "../../../core/domain/Lookup.ts"
import { type ServiceType, sellsToPhones } from "../../../core/domain/Service.ts"
import { optionalOrNull, readVisible } from "../../http/GatewayProtocol.ts"
import type { DtOneApi } from "./DtOneApi.ts"
import { faultsIn, isNoSuchParty, logFacts } from "./Faults.ts"
import { billReference, packageReference, partyOf, readId } from "./ProductRequest.ts"
import { Account, accountOf } from "./Statements.ts"
import { pesosOf } from "./Transaction.ts"

const PrintedText = readVisible(Schema.String, 200)
const Fields = optionalOrNull(Schema.Array(Schema.Array(Schema.String)))

/** A fixed-value product. DT One DVS API 1.23.0, ProductFixedValueRecharge. */
const Product = Schema.Struct({
  id: Schema.Int,
  name: PrintedText,
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
        unit: PrintedText,
        amount: Schema.Struct({ total_including_tax: Schema.Finite })
      })
    )
  )
})
type Product = typeof Product.Type

const decodePage = Schema.decodeUnknownOption(Schema.Array(Schema.Unknown))
const decodeProduct = Schema.decodeUnknownOption(Product)

/**
 * Maximum number of pages to read, more than any mobile operator has. Without it, a server that always announces
 * another page would keep the lookup running.
 */
const pages_max = 20

/** All packages of a mobile operator that need only a product id and a receiver. Null if DT One does not answer. */
const packagesOf = Effect.fnUntraced(function* (api: DtOneApi, operatorId: number, type: ServiceType) {
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
  return yield* withoutRepeats(offers)
})

// Removes duplicates, which appear if the catalogue changes while its pages are read. A package that is listed at two
// different prices is left out.
const withoutRepeats = Effect.fnUntraced(function* (told: ReadonlyArray<Offer>) {
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

/** Whether the receiver's number is enough to buy the product. */
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

/**
 * Looks up what an identifier can buy: the packages of the service's mobile operator, or the bills of the service's
 * product. A phone number is verified first. DT One never returns a customer's name.
 */
export const lookup = Effect.fnUntraced(function* (api: DtOneApi, query: LookupQuery) {
  const { identifier, service } = query
  const party = partyOf(service.type, identifier)
  if (party === null) return LookupAnswer.NoSuchIdentifier()
  if ("mobile_number" in party) {
    const known = yield* isKnown(api, party.mobile_number)
    if (known !== true) return known === false ? LookupAnswer.NoSuchIdentifier() : LookupAnswer.NoAnswer()
  }
  switch (service.flow) {
    case "paquetes":
      return yield* packages(api, query)
    case "facturas":
      return yield* bills(api, query)
    default:
      return found([])
  }
})

const found = (offers: ReadonlyArray<Offer>) => LookupAnswer.Found({ found: { holder: null, offers } })

const isList = Schema.is(Schema.Array(Schema.Unknown))

/**
 * Whether the phone number exists. Null if DT One does not answer. A ported number may still be listed with its old
 * operator.
 */
const isKnown = Effect.fnUntraced(function* (api: DtOneApi, mobileNumber: string) {
  const answer = yield* api.operators(mobileNumber)
  if (answer._tag === "Answered") {
    if (answer.status === 200 && isList(answer.body)) return true
    if (isNoSuchParty(answer.status, faultsIn(answer.body))) return false
  }
  return yield* Effect.as(Effect.logWarning("DT One did not answer the lookup of a number", logFacts(answer)), null)
})

const packages = Effect.fnUntraced(function* (api: DtOneApi, query: LookupQuery) {
  const operatorId = yield* idOf(query)
  const offers = operatorId === null ? null : yield* packagesOf(api, operatorId, query.service.type)
  return offers === null ? LookupAnswer.NoAnswer() : found(offers)
})

const bills = Effect.fnUntraced(function* (api: DtOneApi, query: LookupQuery) {
  const productId = yield* idOf(query)
  if (productId === null) return LookupAnswer.NoAnswer()
  return Account.$match(yield* accountOf(api, productId, query.identifier), {
    Owes: ({ bills }): LookupAnswer =>
      found(
        bills.map(({ amount, dueOn, reference }) => ({
          reference: billReference(reference),
          name: `Factura ${reference}`,
          price: amount,
          validity: dueOn === null ? null : `Vence el ${dueOn}`,
          data: null
        }))
      ),
    NotFound: () => LookupAnswer.NoSuchIdentifier(),
    NoAnswer: () => LookupAnswer.NoAnswer()
  })
})

const idOf = ({ service }: LookupQuery) => {
  const id = readId(service.product)
  const unnamed = Effect.logError("the catalogue has no DT One product for a service", {
    serviceId: service.id,
    product: service.product
  })
  return Effect.as(id === null ? unnamed : Effect.void, id)
}
