import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { recover } from "../../core/workflows/Recover.ts"
import { sendDue } from "../../core/workflows/SendSms.ts"
import { applicationFor, insurer as insuring, quoted, spanish } from "../contract/support/Insuring.ts"
import { OwnTime } from "../contract/support/OwnTime.ts"
import { statusOf } from "../contract/support/Reversing.ts"
import { unchanged } from "../contract/support/Rows.ts"
import { another, testServer } from "../contract/support/Server.ts"
import { type Answered, consult, get, post, sell } from "../facade/support/Calls.ts"
import { insurable, livePrice, quotedLive } from "./support/LiveInsurance.ts"
import { Outsiders, played, production } from "./support/Production.ts"

type Headers = Record<string, string>
type Environment = "development" | "production"

/** A company with money for everything, that may sell insurance and look things up at the provider. */
const company = (environment: Environment) => insuring({ company: { environment }, token: { realLookups: true } })

/** What each flow sells, by service; a lookup comes first where an option is bought. */
const wares: ReadonlyArray<readonly [service_id: number, identifier: string, amount: number | null]> = [
  [1, "8095550012", 100],
  [2, "8295550031", 50.5],
  [3, "8495550044", null],
  [4, "NIC-4455", 250],
  [5, "CONTRATO-77", null],
  [7, "JUGADOR-8", 75],
  [8, "PRESTAMO-9", 1_000]
]

const sellWare = Effect.fnUntraced(function* (auth: Headers, [service_id, identifier, amount]: (typeof wares)[number]) {
  const { provider } = yield* Outsiders
  if (amount !== null) return yield* sell({ service_id, identifier, amount }, auth)
  provider.offer(identifier)
  const { opciones } = (yield* consult(service_id, identifier, auth)).body.data
  return yield* sell({ service_id, identifier, opcion_id: opciones[0].opcion_id }, auth)
})

/** What everybody outside has heard so far. */
const heard = Outsiders.useSync(({ insurer, provider, sms }) => [
  provider.requests.length,
  insurer.requests.length,
  sms.requests.length
])

/** Does what nobody outside may hear of. */
const unheard = Effect.fnUntraced(function* <A, E, R>(what: Effect.Effect<A, E, R>) {
  const before = yield* heard
  const answer = yield* what
  assert.deepStrictEqual(yield* heard, before)
  return answer
})

/** From now on the company is in another environment. */
const moved = Effect.fnUntraced(function* (companyId: number, environment: Environment) {
  const sql = yield* PgClient.PgClient
  const { pass } = yield* OwnTime
  yield* sql`update directory.company set environment = ${environment} where id = ${companyId}`
  // Whatever is remembered of it is forgotten.
  yield* pass("6 seconds")
})

/** What the catalogue calls the first package of the example, and its price. */
const firstPackage = (auth: Headers) =>
  Effect.map(get("/v1/servicios/3/paquetes", auth), ({ body }): readonly [code: string, price: number] => [
    body.data[0].codigo,
    body.data[0].precio
  ])

const refusal = ({ body, status }: Answered) => [status, body.error.code]

describe.each(["http", "dtone"] as const)("with PROVIDER=%s", (name) => {
  layer(production(name), { excludeTestServices: true })("a company", (it) => {
    it.effect("in development sells through the simulators, and nobody outside hears of it", () =>
      unheard(
        Effect.gen(function* () {
          const { pass } = yield* OwnTime
          const { auth } = yield* company("development")
          const codes: Array<string> = []
          // These end so that the simulator knows them, and delivers or holds.
          for (const [service_id, identifier, amount] of wares) {
            const { body } = yield* sellWare(auth, [service_id, `${identifier}3`, amount])
            codes.push(body.data.auth_code)
          }
          const { id, placa } = yield* quoted(auth)
          codes.push((yield* spanish.sell(auth, id, placa)).body.data.auth_code)
          for (const code of codes) assert.match(code, /^SBX/)
          const bet = yield* sell({ service_id: 7, identifier: "JUGADOR-5", amount: 60 }, auth)
          const path = `/v1/transacciones/${bet.body.data.transaction_id}/anular`
          assert.strictEqual((yield* post(path, undefined, { ...auth, "idempotency-key": "anula" })).status, 200)
          const pending = yield* sell({ service_id: 1, identifier: "8095550022", amount: 60 }, auth)
          assert.strictEqual(pending.status, 202)
          yield* pass("1 minutes")
          yield* recover("due")
          yield* sendDue()
          assert.strictEqual(yield* statusOf(auth, pending.body.error.details.transaction_id), "SUCCESS")
        })
      )
    )

    it.effect("in production sells through whom the operator chose, and never through a simulator", () =>
      Effect.gen(function* () {
        const { insurer, provider, sms } = yield* Outsiders
        const { auth } = yield* company("production")
        const delivered = provider.truth.delivered.length
        for (const ware of wares) {
          const { body, status, text } = yield* sellWare(auth, ware)
          assert.strictEqual(status, 201, text)
          const { auth_code, xid } = body.data
          assert.notMatch(auth_code, /^SBX/)
          assert.strictEqual(provider.truth.of(xid).times, 1)
        }
        const messages = sms.sent.length
        const { id, placa } = yield* quotedLive(auth)
        const policy = (yield* spanish.sell(auth, id, placa)).body.data
        assert.match(policy.auth_code, /^POL-/)
        assert.deepStrictEqual(insurer.truth.of(policy.xid), { times: 1, charged: livePrice * 100 })
        assert.strictEqual(sms.sent.length, messages + 1)
        const sent = provider.requests.filter(({ path }) => path === provider.deliversAt)
        assert.lengthOf(sent, wares.length)
        assert.lengthOf(provider.truth.delivered, delivered + wares.length)
      })
    )

    it.effect("in production is shown the catalogue's packages by a token that may not ask its provider", () =>
      Effect.gen(function* () {
        const { provider } = yield* Outsiders
        const { auth } = yield* insuring({ company: { environment: "production" } })
        const wanted = { service_id: 3, identifier: "8495550045" }
        const [code, price] = yield* firstPackage(auth)
        const { opciones, origen_datos } = (yield* unheard(consult(3, wanted.identifier, auth))).body.data
        assert.deepStrictEqual([origen_datos, opciones[0].precio], ["simulado", price])
        const bought = sell({ ...wanted, opcion_id: opciones[0].opcion_id }, auth)
        if (name === "dtone") {
          // DT One has products of its own, and knows none of them by this code: it cannot be sold there.
          const answer = yield* unheard(unchanged(bought))
          assert.deepStrictEqual(refusal(answer), [422, "VALIDATION_ERROR"])
          assert.deepStrictEqual(answer.body.error.details, { opcion_id: "invalido" })
        } else {
          const { body, status, text } = yield* bought
          assert.strictEqual(status, 201, text)
          const order = provider.requests.findLast(({ path }) => path === provider.deliversAt)?.body
          assert.include(order, { xid: body.data.xid, reference: code, amount_centavos: Math.round(price * 100) })
          assert.strictEqual(provider.truth.of(body.data.xid).times, 1)
        }
      })
    )

    it.effect("that moved to production cannot sell what a simulator has quoted", () =>
      Effect.gen(function* () {
        const { auth, companyId } = yield* company("development")
        const simulated = yield* quoted(auth)
        yield* moved(companyId, "production")
        const answer = yield* unheard(unchanged(spanish.sell(auth, simulated.id, simulated.placa)))
        assert.deepStrictEqual(refusal(answer), [422, "VALIDATION_ERROR"])
        assert.deepStrictEqual(answer.body.error.details, { opcion_id: "invalido" })
        const real = yield* quotedLive(auth)
        assert.strictEqual((yield* spanish.sell(auth, real.id, real.placa)).status, 201)
      })
    )

    it.effect("that moved to development cannot have simulated what an insurer has quoted", () =>
      Effect.gen(function* () {
        const { auth, companyId } = yield* company("production")
        const real = yield* quotedLive(auth)
        yield* moved(companyId, "development")
        const answer = yield* unheard(unchanged(spanish.sell(auth, real.id, real.placa)))
        assert.deepStrictEqual(answer.body.error.details, { opcion_id: "invalido" })
      })
    )

    it.effect("that moved to production leaves its open sales with the simulator", () =>
      Effect.gen(function* () {
        const { pass } = yield* OwnTime
        const { auth, companyId } = yield* company("development")
        const { body } = yield* sell({ service_id: 1, identifier: "8095550022", amount: 60 }, auth)
        yield* moved(companyId, "production")
        yield* pass("1 minutes")
        yield* unheard(recover("due"))
        assert.strictEqual(yield* statusOf(auth, body.error.details.transaction_id), "SUCCESS")
      })
    )
  })
})

/** What a company in production hears of a party that is not there. */
const noProvider = [422, "SERVICE_UNAVAILABLE"]
const noInsurer = [503, "SEGUROS_NO_DISPONIBLE"]

layer(testServer({}), { excludeTestServices: true })("a company in production, while nobody is configured", (it) => {
  it.effect.each(wares.filter(([, , amount]) => amount !== null))(
    "cannot sell service %i to %s, and nothing is reserved",
    ([service_id, identifier, amount]) =>
      Effect.gen(function* () {
        const { auth } = yield* company("production")
        const answer = yield* unchanged(sell({ service_id, identifier, amount }, auth))
        assert.deepStrictEqual(refusal(answer), noProvider)
        assert.strictEqual(answer.headers.get("retry-after"), "30")
      })
  )

  it.effect("is shown examples of packages, and cannot buy one", () =>
    Effect.gen(function* () {
      const { auth } = yield* company("production")
      const wanted = { service_id: 3, identifier: "8495550044" }
      const { opciones, origen_datos } = (yield* consult(wanted.service_id, wanted.identifier, auth)).body.data
      assert.strictEqual(origen_datos, "simulado")
      const answer = yield* unchanged(sell({ ...wanted, opcion_id: opciones[0].opcion_id }, auth))
      assert.deepStrictEqual(refusal(answer), noProvider)
    })
  )

  it.effect("cannot begin an insurance", () =>
    Effect.gen(function* () {
      const { auth } = yield* company("production")
      assert.deepStrictEqual(refusal(yield* unchanged(spanish.start(auth, applicationFor()))), noInsurer)
    })
  )
})

/** A server on the same database, without one of the parties. */
const without = (party: "PROVIDER" | "INSURER" | "SMS") =>
  Effect.flatMap(Outsiders, ({ variables }) => another({ ...variables, [party]: "none" }, played))

layer(production("http"), { excludeTestServices: true })(
  "a company in production, while one party is missing",
  (it) => {
    it.effect("sells all that goes through the others", () =>
      Effect.gen(function* () {
        const { auth } = yield* company("production")
        const topUp = sell({ service_id: 1, identifier: "8095550012", amount: 100 }, auth)
        const noProviders = yield* without("PROVIDER")
        assert.deepStrictEqual(refusal(yield* noProviders(unchanged(topUp))), noProvider)
        const { id, placa } = yield* noProviders(quotedLive(auth))
        assert.strictEqual((yield* noProviders(spanish.sell(auth, id, placa))).status, 201)
        for (const party of ["INSURER", "SMS"] as const) {
          assert.strictEqual((yield* (yield* without(party))(topUp)).status, 201)
        }
      })
    )

    it.effect.each(["INSURER", "SMS"] as const)("cannot begin an insurance without %s, and asks nobody", (party) =>
      Effect.gen(function* () {
        const { auth } = yield* company("production")
        const missing = yield* without(party)
        const application = yield* insurable
        const answer = yield* unheard(unchanged(missing(spanish.start(auth, application))))
        assert.deepStrictEqual(refusal(answer), noInsurer)
      })
    )

    it.effect("cannot sell a quote while its insurer is missing, and can afterwards", () =>
      Effect.gen(function* () {
        const { auth } = yield* company("production")
        const { id, placa } = yield* quotedLive(auth)
        const missing = yield* without("INSURER")
        assert.deepStrictEqual(refusal(yield* unheard(unchanged(missing(spanish.sell(auth, id, placa))))), noInsurer)
        assert.strictEqual((yield* spanish.read(auth, id)).body.data.estado, "cotizado")
        assert.strictEqual((yield* spanish.sell(auth, id, placa)).status, 201)
      })
    )
  }
)
