import { Clock, Context, Effect, Layer } from "effect"
import { CatalogueAdmin } from "../../../core/ports/CatalogueAdmin.ts"
import { type Provider, Providers } from "../../../core/ports/Provider.ts"
import { exampleCatalogue } from "../../../facade/settings/CatalogueFile.ts"
import { scripted } from "../../contract/support/Script.ts"
import { testServer } from "../../contract/support/Server.ts"
import { credentials, FakeDtOne } from "../../fakes/DtOne.ts"
import { productIds, statement } from "../../fakes/DtOneData.ts"
import type { DeliveryRecord, FakeRequest, Misbehaviours } from "../../fakes/FakeServer.ts"
import { fakeHttpInsurer, fakeHttpProvider } from "../../fakes/HttpSuppliers.ts"
import { fakeHttpSms } from "../../fakes/Sms.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { napping } from "./DtOneWorld.ts"
import { secret } from "./Gateways.ts"

type Environment = Readonly<Record<string, string>>

/** A provider's fake, whichever protocol it speaks. */
interface FakeProvider {
  readonly truth: DeliveryRecord
  readonly misbehaviours: Misbehaviours
  readonly requests: ReadonlyArray<FakeRequest>
  /** What a request that delivers goes to. */
  readonly deliversAt: string
  /** Has a package or a bill for an identifier. */
  readonly offer: (identifier: string) => void
  /** Decides about a sale that it will not deliver it. */
  readonly refuse: (xid: string) => void
  /** Takes a sale back, if that is how it does so: by hand, before it is asked to. */
  readonly takeBack: (xid: string) => void
}

/** Whom a company in production sells through: the fakes of all parties. */
export class Outsiders extends Context.Service<
  Outsiders,
  {
    readonly provider: FakeProvider
    readonly insurer: Effect.Success<ReturnType<typeof fakeHttpInsurer>>
    readonly sms: Effect.Success<ReturnType<typeof fakeHttpSms>>
    /** How they are reached. */
    readonly variables: Environment
  }
>()("test/Outsiders") {}

const variablesOf = (prefix: string, url: string): Environment => ({
  [prefix]: "http",
  [`${prefix}_URL`]: url,
  [`${prefix}_SECRET`]: secret
})

const gateway = Effect.map(fakeHttpProvider(secret), ({ found, orders, url, ...fake }) => ({
  ...fake,
  deliversAt: "/v1/orders",
  offer: (identifier: string) => {
    const offer = { reference: "2026-02", name: "Lo que hay", price_centavos: 15_050 }
    found.set(identifier, { holder: "Titular de Prueba", offers: [offer] })
  },
  refuse: (xid: string) => void orders.set(xid, "TRANSACTION_REJECTED"),
  takeBack: () => undefined,
  variables: variablesOf("PROVIDER", url)
}))

const dtOne = Effect.map(FakeDtOne.start, ({ fake, url }) => ({
  truth: fake.truth,
  misbehaviours: fake.misbehaviours,
  requests: fake.requests,
  deliversAt: "/v1/async/transactions",
  offer: (identifier: string) => fake.owe(identifier, statement("2026-02", 150.5)),
  refuse: (xid: string) => fake.insist(xid, 400, 1003002),
  takeBack: (xid: string) => fake.end(xid, "REVERSED"),
  variables: {
    PROVIDER: "dtone",
    DTONE_BASE_URL: url,
    DTONE_API_KEY: credentials.key,
    DTONE_API_SECRET: credentials.secret
  }
}))

const outsiders = <R>(provider: Effect.Effect<FakeProvider & { readonly variables: Environment }, never, R>) =>
  Layer.effect(
    Outsiders,
    Effect.gen(function* () {
      const { variables, ...fake } = yield* provider
      const insurer = yield* fakeHttpInsurer(secret)
      const sms = yield* fakeHttpSms(secret)
      const ofOthers = { ...variablesOf("INSURER", insurer.url), ...variablesOf("SMS", sms.url) }
      return Outsiders.of({ provider: fake, insurer, sms, variables: { ...variables, ...ofOthers } })
    })
  )

/** The fakes of all parties; the provider speaks one protocol or the other. */
const fakes = { http: outsiders(gateway), dtone: outsiders(dtOne) }

/** What DT One calls the services of the example catalogue. */
const products: Readonly<Record<number, number>> = {
  1: productIds.topUp,
  2: productIds.topUp,
  3: productIds.operator,
  4: productIds.electricity,
  5: productIds.bills,
  7: productIds.credit,
  8: productIds.bills
}

/** An operator's catalogue says what the provider calls each service. */
const catalogued = Layer.effectDiscard(
  Effect.gen(function* () {
    const { services, ...rest } = yield* exampleCatalogue
    const named = services.map((service) => {
      const product = products[service.id]
      return { ...service, product: product === undefined ? null : String(product) }
    })
    const catalogue = yield* CatalogueAdmin
    yield* catalogue.store({ ...rest, services: named })
  })
)

/** A provider's pauses between its questions pass by themselves. */
const unhurried = Layer.effect(
  Providers,
  Effect.gen(function* () {
    const { pass } = yield* ManualClock
    const clock = napping(yield* Clock.Clock, pass)
    const real = yield* Providers
    const played = (provider: Provider): Provider => ({
      ...provider,
      dispatch: (order) => Effect.provideService(provider.dispatch(order), Clock.Clock, clock)
    })
    return Providers.of({
      ...real,
      serving: (environment) =>
        Effect.map(real.serving(environment), (provider) => (provider === real.simulator ? provider : played(provider)))
    })
  })
)

/** The ports of the world outside, where a provider does not make its callers wait. */
export const played = Layer.provideMerge(unhurried, scripted)

/**
 * The whole service, with the fakes for parties.
 *
 * @param changes of the environment in which it meets them.
 * @param ports as the test has them.
 */
export const production = (
  name: keyof typeof fakes,
  changes: Environment = {},
  ports: typeof played | typeof scripted = played
) =>
  catalogued.pipe(
    Layer.provideMerge(
      Layer.unwrap(Outsiders.useSync(({ variables }) => testServer({ ...variables, ...changes }, ports)))
    ),
    Layer.provideMerge(fakes[name]),
    Layer.provideMerge(ManualClock.layer)
  )
