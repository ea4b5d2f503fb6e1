import { Effect, Schema } from "effect"
import { LookupAnswer, type LookupQuery } from "../../../core/domain/Lookup.ts"
import type { Offer } from "../../../core/domain/Offered.ts"
import type { DtOneApi } from "./DtOneApi.ts"
import { faultsIn, isNoSuchParty } from "./Faults.ts"
import { logFacts } from "./LogFacts.ts"
import { packagesOf } from "./Packages.ts"
import { billReference, partyOf, readId } from "./ProductRequest.ts"
import { Account, accountOf } from "./Statements.ts"

/**
 * Looks up what an identifier can buy: the packages of the service's operator, or the bills of the service's product.
 * Phone numbers are verified first. DT One never returns a customer's name.
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
 * Whether the phone number exists. Null without an answer. A ported number may still be listed with its old operator.
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
    Nobody: () => LookupAnswer.NoSuchIdentifier(),
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
