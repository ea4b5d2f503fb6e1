import { Effect } from "effect"
import { InvalidProduct, NotFound, NotImplemented, ServiceTimedOut } from "../domain/Errors.ts"
import type { Identifier, ServiceId } from "../domain/Ids.ts"
import { type Found, LookupAnswer, type LookupQuery, type LookupResult, makeOption } from "../domain/Lookup.ts"
import { realLookupsPerDay, realLookupsPerMinute } from "../domain/RateLimit.ts"
import { type Service, takesOption } from "../domain/Service.ts"
import type { Session } from "../domain/Session.ts"
import { Catalogue } from "../ports/Catalogue.ts"
import { Options } from "../ports/Options.ts"
import { type Provider, Providers } from "../ports/Provider.ts"
import { countCall, countOfDay } from "./CountCalls.ts"
import { withFallback } from "./ExternalCalls.ts"
import { serviceOf } from "./Queries.ts"

/** A request for a lookup. Contract: 4.4. */
export interface LookupRequest {
  readonly serviceId: ServiceId
  readonly identifier: Identifier
}

/**
 * Looks up the packages or bills of an identifier, and stores them as options that a sale can name. Moves no money.
 * Contract: 4.4 and 2.6.
 */
export const lookUp = Effect.fn("LookUp.consult")(function* (session: Session, wanted: LookupRequest) {
  const service = yield* serviceToLookUp(session, wanted.serviceId)
  const { lookup, simulated } = yield* chooseSource(session)
  const packages = service.flow === "paquetes" ? yield* Catalogue.use((all) => all.packages(service.id)) : []
  const found = yield* askProvider(lookup, { service, identifier: wanted.identifier, packages })
  const options = yield* storeOptions(session, service, wanted.identifier, found, simulated)
  return { flow: service.flow, holder: found.holder, options, simulated } satisfies LookupResult
})

// An insurance service that is not enabled for the company gets InvalidProduct here, because insurance has no lookup.
const serviceToLookUp = Effect.fnUntraced(function* ({ company }: Session, serviceId: ServiceId) {
  const service = yield* Effect.mapError(serviceOf(company, serviceId), () => new InvalidProduct())
  const { flow } = service
  return flow === "seguros" ? yield* new NotImplemented() : { ...service, flow }
})

/**
 * Chooses the source of the answer: the provider if the token may ask it, otherwise the simulator. If the provider
 * cannot be asked now (quota used up, or no provider), the answer consists of examples. With examples every identifier
 * exists, because only a provider can know that a customer does not exist. Contract: 4.4.
 */
const chooseSource = Effect.fnUntraced(function* ({ company, token }: Session) {
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

const askProvider = Effect.fnUntraced(function* (lookup: Provider["lookup"], query: LookupQuery) {
  const answer = yield* withFallback(lookup(query), Effect.succeed(LookupAnswer.NoAnswer()), (cause) =>
    Effect.logError("the provider's adapter failed on a lookup", { serviceId: query.service.id }, cause)
  )
  return yield* LookupAnswer.$match(answer, {
    Found: ({ found }) => Effect.succeed(found),
    NoSuchIdentifier: () => Effect.fail(new NotFound()),
    NoAnswer: () => Effect.fail(new ServiceTimedOut())
  })
})

const storeOptions = Effect.fnUntraced(function* (
  { company }: Session,
  { flow, id: serviceId }: Service,
  identifier: Identifier,
  { offers }: Found,
  simulated: boolean
) {
  if (!takesOption(flow)) return []
  const customer = { companyId: company.id, serviceId, identifier }
  const options = yield* Effect.forEach(offers, (offer) => makeOption(flow, customer, offer, simulated))
  // An example bill must never be paid with real money, so it is not stored. An example package comes from the
  // catalogue and has the catalogue's code. The sale checks whether the provider knows the package.
  const buyable = !simulated || company.environment === "development" || flow === "paquetes"
  if (buyable) yield* Options.use((all) => all.store(options))
  return options
})
