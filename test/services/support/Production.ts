import { assert } from "@effect/vitest"
import { Clock, Context, Effect, Layer } from "effect"
import { CatalogueAdmin } from "../../../core/ports/Catalogue.ts"
import { type Provider, Providers } from "../../../core/ports/Provider.ts"
import { exampleCatalogue } from "../../../facade/settings/CatalogueFile.ts"
import { credentials, FakeDtOne } from "../../fakes/DtOne.ts"
import { productIds, statement } from "../../fakes/DtOneData.ts"
import type { DeliveryRecord, FakeRequest, Misbehaviours } from "../../fakes/FakeServer.ts"
import { fakeHttpInsurer, fakeHttpProvider } from "../../fakes/HttpSuppliers.ts"
import { fakeHttpSms } from "../../fakes/Sms.ts"
import type { ApiResponse } from "../../support/ApiDocument.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import {
  applicationFor,
  expectSuccess,
  type Headers,
  insuranceCompany as insuring,
  plan,
  spanish
} from "../../support/service/InsuranceCalls.ts"
import { scripted } from "../../support/service/ScriptedPorts.ts"
import { testServer } from "../../support/service/TestServer.ts"
import { withShortPausesSkipped } from "./DtOneWorld.ts"
import { foundVehicle, secret } from "./Gateways.ts"

type Environment = Readonly<Record<string, string>>

/** The fake of a provider, for any protocol. */
interface FakeProvider {
  readonly truth: DeliveryRecord
  readonly misbehaviours: Misbehaviours
  readonly requests: ReadonlyArray<FakeRequest>
  /** The path of the requests that order a delivery. */
  readonly deliversAt: string
  /** Makes the fake offer a package or a bill to this phone or contract number. */
  readonly offer: (identifier: string) => void
  /** Makes the provider refuse a sale. */
  readonly refuse: (xid: string) => void
  /**
   * Changes the status of a sale at DT One by hand, by default to reversed, because DT One's reversals are manual. Does
   * nothing at an HTTP gateway.
   */
  readonly changeStatus: (xid: string, status?: "COMPLETED" | "DECLINED") => void
}

/** The fakes of the external services that a company in production uses. */
export class ExternalFakes extends Context.Service<
  ExternalFakes,
  {
    readonly provider: FakeProvider
    readonly insurer: Effect.Success<ReturnType<typeof fakeHttpInsurer>>
    readonly sms: Effect.Success<ReturnType<typeof fakeHttpSms>>
    /** The environment variables that configure the fakes. */
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
  changeStatus: () => undefined,
  variables: variablesOf("PROVIDER", url)
}))

const dtOne = Effect.map(FakeDtOne.start, ({ fake, url }) => ({
  truth: fake.truth,
  misbehaviours: fake.misbehaviours,
  requests: fake.requests,
  deliversAt: "/v1/async/transactions",
  offer: (identifier: string) => fake.setBills(identifier, statement("2026-02", 150.5)),
  refuse: (xid: string) => fake.failNext(xid, 400, 1003002),
  changeStatus: (xid: string, status?: string) => fake.setStatus(xid, status ?? "REVERSED"),
  variables: {
    PROVIDER: "dtone",
    DTONE_BASE_URL: url,
    DTONE_API_KEY: credentials.key,
    DTONE_API_SECRET: credentials.secret
  }
}))

const externalFakes = <R>(provider: Effect.Effect<FakeProvider & { readonly variables: Environment }, never, R>) =>
  Layer.effect(
    ExternalFakes,
    Effect.gen(function* () {
      const { variables, ...fake } = yield* provider
      const insurer = yield* fakeHttpInsurer(secret)
      const sms = yield* fakeHttpSms(secret)
      const ofOthers = { ...variablesOf("INSURER", insurer.url), ...variablesOf("SMS", sms.url) }
      return ExternalFakes.of({ provider: fake, insurer, sms, variables: { ...variables, ...ofOthers } })
    })
  )

/** All fakes, with a provider that speaks HTTP or with DT One. */
const fakes = { http: externalFakes(gateway), dtone: externalFakes(dtOne) }

/** The DT One product of each service in the example catalogue. */
const products: Readonly<Record<number, number>> = {
  1: productIds.topUp,
  2: productIds.topUp,
  3: productIds.operator,
  4: productIds.electricity,
  5: productIds.bills,
  7: productIds.credit,
  8: productIds.bills
}

/** Stores the example catalogue with the provider's product for each service. */
const withCatalogue = Layer.effectDiscard(
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

/** Providers whose pauses between status queries are skipped. */
const withoutPauses = Layer.effect(
  Providers,
  Effect.gen(function* () {
    const { pass } = yield* ManualClock
    const clock = withShortPausesSkipped(yield* Clock.Clock, pass)
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

/** Scripted ports, with providers that skip their pauses. */
export const played = Layer.provideMerge(withoutPauses, scripted)

/**
 * The whole service, with fakes for the external services.
 *
 * @param changes to the environment variables.
 * @param ports for the external services.
 */
export const production = (
  name: keyof typeof fakes,
  changes: Environment = {},
  ports: typeof played | typeof scripted = played
) =>
  withCatalogue.pipe(
    Layer.provideMerge(
      Layer.unwrap(ExternalFakes.useSync(({ variables }) => testServer({ ...variables, ...changes }, ports)))
    ),
    Layer.provideMerge(fakes[name]),
    Layer.provideMerge(ManualClock.layer)
  )

const version = { id: "LE", name: "Corolla LE 1.8", suggested: true }

const found = foundVehicle("CASO-1", version)

const offered = {
  outcome: "offered",
  detail: "Toyota Corolla, 2018",
  plans: [{ code: plan, name: "Ley", coverage: "La ley.", months: 12, price_centavos: 450_050, suggested: true }],
  extras: []
}

const quotedAt = { outcome: "quoted", quote: "COT-1", total_centavos: 450_050 }

/** The price of an insurance at the fake insurer, in pesos. */
export const livePrice = 4_500.5

/** An application for a new plate that the fake insurer accepts. */
export const insurable = ExternalFakes.useSync(({ insurer: { steps } }) => {
  const application = applicationFor()
  steps.set(`/v1/inspections ${application.placa}`, found)
  steps.set(`/v1/plans ${application.placa}`, offered)
  steps.set(`/v1/quotes ${application.placa}`, quotedAt)
  return application
})

/** The code in the last message sent to a phone, if any. */
export const lastCode = (phone: string) =>
  ExternalFakes.useSync(({ sms }) => sms.sent.findLast(({ to }) => to === `+1${phone}`)?.text.slice(0, 6))

/** A quoted insurance in production, ready for sale. */
export const quotedLive = Effect.fnUntraced(function* (auth: Headers) {
  const application = yield* insurable
  const { seguro_id: id } = expectSuccess(yield* spanish.start(auth, application)).body.data
  expectSuccess(yield* spanish.verify(auth, id, yield* lastCode(application.telefono)))
  expectSuccess(yield* spanish.choose(auth, id, version.id))
  expectSuccess(yield* spanish.quote(auth, id))
  return { id: id as number, placa: application.placa }
})

export type CompanyEnvironment = "development" | "production"

/** A company with enough money that may sell insurance and use real lookups. */
export const company = (environment: CompanyEnvironment) =>
  insuring({ company: { environment }, token: { realLookups: true } })

/** One sale for each service. An amount of null means that the sale needs an option from a lookup. */
export const saleOfEachFlow: ReadonlyArray<readonly [service_id: number, identifier: string, amount: number | null]> = [
  [1, "8095550012", 100],
  [2, "8295550031", 50.5],
  [3, "8495550044", null],
  [4, "NIC-4455", 250],
  [5, "CONTRATO-77", null],
  [7, "JUGADOR-8", 75],
  [8, "PRESTAMO-9", 1_000]
]

/** The number of requests that each external service has received. */
const outsideRequests = ExternalFakes.useSync(({ insurer, provider, sms }) => [
  provider.requests.length,
  insurer.requests.length,
  sms.requests.length
])

/** Runs an effect and checks that no external service received a request. */
export const withoutOutsideRequests = Effect.fnUntraced(function* <A, E, R>(what: Effect.Effect<A, E, R>) {
  const before = yield* outsideRequests
  const answer = yield* what
  assert.deepStrictEqual(yield* outsideRequests, before)
  return answer
})

/** Status and code of a rejected call. */
export const refusal = ({ body, status }: ApiResponse) => [status, body.error.code]
