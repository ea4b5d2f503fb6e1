import { Effect } from "effect"
import type { Session } from "../domain/Access.ts"
import { InvalidProduct, NotFound, NotImplemented, ServiceTimedOut } from "../domain/Errors.ts"
import type { Identifier, ServiceId } from "../domain/Ids.ts"
import { type Consulta, type Found, LookupAnswer, type LookupQuery } from "../domain/Lookup.ts"
import { offered } from "../domain/Offered.ts"
import { realLookupsPerDay, realLookupsPerMinute } from "../domain/RateLimit.ts"
import { type Service, takesOption } from "../domain/Service.ts"
import { Catalogue } from "../ports/Catalogue.ts"
import { Options } from "../ports/Options.ts"
import { type Provider, Providers } from "../ports/Provider.ts"
import { countCall, countOfDay } from "./RateLimit.ts"
import { withFallback } from "./WithFallback.ts"

/** What a caller asks about. Contract: 4.4. */
export interface Consultation {
  readonly serviceId: ServiceId
  readonly identifier: Identifier
}

/**
 * Looks up what an identifier may buy, and keeps the options so that a sale can name one. Moves no money. Contract: 4.4
 * and 2.6.
 */
export const consult = Effect.fn("Consult.consult")(function* (session: Session, wanted: Consultation) {
  const service = yield* serviceOf(session, wanted.serviceId)
  const { lookup, simulated } = yield* source(session)
  const packages = service.flow === "paquetes" ? yield* Catalogue.use((all) => all.packages(service.id)) : []
  const found = yield* ask(lookup, { service, identifier: wanted.identifier, packages })
  const options = yield* keep(session, service, wanted.identifier, found, simulated)
  return { flow: service.flow, holder: found.holder, options, simulated } satisfies Consulta
})

const serviceOf = Effect.fnUntraced(function* ({ company }: Session, serviceId: ServiceId) {
  const catalogue = yield* Catalogue
  const found = yield* catalogue.find(company, serviceId)
  if (found._tag !== "Available") return yield* new InvalidProduct()
  const { flow } = found.service
  return flow === "seguros" ? yield* new NotImplemented() : { ...found.service, flow }
})

/**
 * Who answers: the provider, if the token may ask it, or else the simulator, by its scenarios. Where a provider cannot
 * be asked now, for the quota or because there is none, examples stand in for it, and find whoever is asked about:
 * nobody has said of a real customer that he does not exist. Contract: 4.4.
 */
const source = Effect.fnUntraced(function* ({ company, token }: Session) {
  const { serving, simulator, exampleLookup } = yield* Providers
  if (!token.realLookups) return { lookup: simulator.lookup, simulated: true }
  const provider = yield* Effect.orElseSucceed(serving(company.environment), () => null)
  if (provider === simulator) return { lookup: simulator.lookup, simulated: true }
  return provider !== null && (yield* mayAskProvider(token))
    ? { lookup: provider.lookup, simulated: false }
    : { lookup: exampleLookup, simulated: true }
})

const mayAskProvider = Effect.fnUntraced(function* ({ id }: Session["token"]) {
  const { admitted } = yield* countCall({ key: `lookups:minute:${id}`, limit: realLookupsPerMinute })
  return admitted && (yield* countOfDay({ key: `lookups:day:${id}`, limit: realLookupsPerDay }))
})

const ask = Effect.fnUntraced(function* (lookup: Provider["lookup"], query: LookupQuery) {
  const answer = yield* withFallback(lookup(query), Effect.succeed(LookupAnswer.NoAnswer()), (cause) =>
    Effect.logError("a provider broke over a lookup", { serviceId: query.service.id }, cause)
  )
  return yield* LookupAnswer.$match(answer, {
    Found: ({ found }) => Effect.succeed(found),
    NoSuchIdentifier: () => Effect.fail(new NotFound()),
    NoAnswer: () => Effect.fail(new ServiceTimedOut())
  })
})

const keep = Effect.fnUntraced(function* (
  { company }: Session,
  { flow, id: serviceId }: Service,
  identifier: Identifier,
  { offers }: Found,
  simulated: boolean
) {
  if (!takesOption(flow)) return []
  const customer = { companyId: company.id, serviceId, identifier }
  const options = yield* Effect.forEach(offers, (offer) => offered(flow, customer, offer, simulated))
  // An invented bill must never be paid with real money. An example of a package is one that the catalogue sells, by
  // its code there; whether whoever serves can know it is asked at the sale.
  const buyable = !simulated || company.environment === "development" || flow === "paquetes"
  if (buyable) yield* Options.use((all) => all.store(options))
  return options
})
