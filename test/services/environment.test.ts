import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { recover } from "../../core/workflows/Recover.ts"
import { sendDue } from "../../core/workflows/SendSms.ts"
import { ManualClock } from "../support/InProcessService.ts"
import { consult, get, post, sell } from "../support/service/HttpCalls.ts"
import { applicationFor, insuranceCompany as insuring, quoted, spanish } from "../support/service/InsuranceCalls.ts"
import { statusOf } from "../support/service/ReversalCalls.ts"
import { anotherServer, testServer } from "../support/service/TestServer.ts"
import { leavesRowsUnchanged } from "../support/service/UnchangedRows.ts"
import {
  type CompanyEnvironment,
  company,
  ExternalFakes,
  insurable,
  livePrice,
  played,
  production,
  quotedLive,
  refusal,
  saleOfEachFlow,
  withoutOutsideRequests
} from "./support/Production.ts"

type Headers = Record<string, string>

const sellOne = Effect.fnUntraced(function* (
  auth: Headers,
  [service_id, identifier, amount]: (typeof saleOfEachFlow)[number]
) {
  const { provider } = yield* ExternalFakes
  if (amount !== null) return yield* sell({ service_id, identifier, amount }, auth)
  provider.offer(identifier)
  const { opciones } = (yield* consult(service_id, identifier, auth)).body.data
  return yield* sell({ service_id, identifier, opcion_id: opciones[0].opcion_id }, auth)
})

/** Moves the company to another environment. */
const moveTo = Effect.fnUntraced(function* (companyId: number, environment: CompanyEnvironment) {
  const sql = yield* PgClient.PgClient
  const { pass } = yield* ManualClock
  yield* sql`update directory.company set environment = ${environment} where id = ${companyId}`
  // Lets the cached company expire.
  yield* pass("6 seconds")
})

/** Code and price of the first package in the example catalogue. */
const firstPackage = (auth: Headers) =>
  Effect.map(get("/v1/servicios/3/paquetes", auth), ({ body }): readonly [code: string, price: number] => [
    body.data[0].codigo,
    body.data[0].precio
  ])

describe.each(["http", "dtone"] as const)("with PROVIDER=%s", (name) => {
  layer(production(name), { excludeTestServices: true })("a company", (it) => {
    it.effect("in development sells through the simulators, and no external service receives a request", () =>
      withoutOutsideRequests(
        Effect.gen(function* () {
          const { pass } = yield* ManualClock
          const { auth } = yield* company("development")
          const codes: Array<string> = []
          // The simulator delivers to identifiers that end in 3.
          for (const [service_id, identifier, amount] of saleOfEachFlow) {
            const { body } = yield* sellOne(auth, [service_id, `${identifier}3`, amount])
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

    it.effect("in production sells through the configured external services and never through a simulator", () =>
      Effect.gen(function* () {
        const { insurer, provider, sms } = yield* ExternalFakes
        const { auth } = yield* company("production")
        const delivered = provider.truth.delivered.length
        for (const sale of saleOfEachFlow) {
          const { body, status, text } = yield* sellOne(auth, sale)
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
        assert.lengthOf(sent, saleOfEachFlow.length)
        assert.lengthOf(provider.truth.delivered, delivered + saleOfEachFlow.length)
        for (const { requests } of [provider, insurer, sms]) {
          assert.isNotEmpty(requests)
          for (const { headers } of requests) assert.doesNotHaveAnyKeys(headers, ["traceparent", "tracestate", "b3"])
        }
      })
    )

    it.effect("in production sees the catalogue's packages when its token has no real lookups", () =>
      Effect.gen(function* () {
        const { provider } = yield* ExternalFakes
        const { auth } = yield* insuring({ company: { environment: "production" } })
        const wanted = { service_id: 3, identifier: "8495550045" }
        const [code, price] = yield* firstPackage(auth)
        const { opciones, origen_datos } = (yield* withoutOutsideRequests(consult(3, wanted.identifier, auth))).body
          .data
        assert.deepStrictEqual([origen_datos, opciones[0].precio], ["simulado", price])
        const bought = sell({ ...wanted, opcion_id: opciones[0].opcion_id }, auth)
        if (name === "dtone") {
          // DT One has its own product codes and does not know this code, so DT One cannot sell the package.
          const answer = yield* withoutOutsideRequests(leavesRowsUnchanged(bought))
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

    it.effect("that moves to production cannot sell a simulated quote", () =>
      Effect.gen(function* () {
        const { auth, companyId } = yield* company("development")
        const simulated = yield* quoted(auth)
        yield* moveTo(companyId, "production")
        const answer = yield* withoutOutsideRequests(
          leavesRowsUnchanged(spanish.sell(auth, simulated.id, simulated.placa))
        )
        assert.deepStrictEqual(refusal(answer), [422, "VALIDATION_ERROR"])
        assert.deepStrictEqual(answer.body.error.details, { opcion_id: "invalido" })
        const real = yield* quotedLive(auth)
        assert.strictEqual((yield* spanish.sell(auth, real.id, real.placa)).status, 201)
      })
    )

    it.effect("that moves to development cannot sell a real quote through the simulator", () =>
      Effect.gen(function* () {
        const { auth, companyId } = yield* company("production")
        const real = yield* quotedLive(auth)
        yield* moveTo(companyId, "development")
        const answer = yield* withoutOutsideRequests(leavesRowsUnchanged(spanish.sell(auth, real.id, real.placa)))
        assert.deepStrictEqual(answer.body.error.details, { opcion_id: "invalido" })
      })
    )

    it.effect("that moves to production keeps its unresolved sales at the simulator", () =>
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const { auth, companyId } = yield* company("development")
        const { body } = yield* sell({ service_id: 1, identifier: "8095550022", amount: 60 }, auth)
        yield* moveTo(companyId, "production")
        yield* pass("1 minutes")
        yield* withoutOutsideRequests(recover("due"))
        assert.strictEqual(yield* statusOf(auth, body.error.details.transaction_id), "SUCCESS")
      })
    )
  })
})

/** The status and code that a company in production receives when an external service is not configured. */
const noProvider = [422, "SERVICE_UNAVAILABLE"]
const noInsurer = [503, "SEGUROS_NO_DISPONIBLE"]

layer(testServer({}), { excludeTestServices: true })(
  "a company in production, while no external service is configured",
  (it) => {
    it.effect.each(saleOfEachFlow.filter(([, , amount]) => amount !== null))(
      "cannot sell service %i to %s, and nothing is reserved",
      ([service_id, identifier, amount]) =>
        Effect.gen(function* () {
          const { auth } = yield* company("production")
          const answer = yield* leavesRowsUnchanged(sell({ service_id, identifier, amount }, auth))
          assert.deepStrictEqual(refusal(answer), noProvider)
          assert.strictEqual(answer.headers.get("retry-after"), "30")
        })
    )

    it.effect("sees simulated packages and cannot buy one", () =>
      Effect.gen(function* () {
        const { auth } = yield* company("production")
        const wanted = { service_id: 3, identifier: "8495550044" }
        const { opciones, origen_datos } = (yield* consult(wanted.service_id, wanted.identifier, auth)).body.data
        assert.strictEqual(origen_datos, "simulado")
        const answer = yield* leavesRowsUnchanged(sell({ ...wanted, opcion_id: opciones[0].opcion_id }, auth))
        assert.deepStrictEqual(refusal(answer), noProvider)
      })
    )

    it.effect("cannot start an insurance", () =>
      Effect.gen(function* () {
        const { auth } = yield* company("production")
        assert.deepStrictEqual(refusal(yield* leavesRowsUnchanged(spanish.start(auth, applicationFor()))), noInsurer)
      })
    )
  }
)

/** A server on the same database, without one of the external services. */
const without = (service: "PROVIDER" | "INSURER" | "SMS") =>
  Effect.flatMap(ExternalFakes, ({ variables }) => anotherServer({ ...variables, [service]: "none" }, played))

layer(production("http"), { excludeTestServices: true })(
  "a company in production, while one external service is missing",
  (it) => {
    it.effect("sells everything that the other services deliver", () =>
      Effect.gen(function* () {
        const { auth } = yield* company("production")
        const topUp = sell({ service_id: 1, identifier: "8095550012", amount: 100 }, auth)
        const noProviders = yield* without("PROVIDER")
        assert.deepStrictEqual(refusal(yield* noProviders(leavesRowsUnchanged(topUp))), noProvider)
        const { id, placa } = yield* noProviders(quotedLive(auth))
        assert.strictEqual((yield* noProviders(spanish.sell(auth, id, placa))).status, 201)
        for (const service of ["INSURER", "SMS"] as const) {
          assert.strictEqual((yield* (yield* without(service))(topUp)).status, 201)
        }
      })
    )

    it.effect.each(["INSURER", "SMS"] as const)(
      "cannot start an insurance without %s, and sends no request",
      (service) =>
        Effect.gen(function* () {
          const { auth } = yield* company("production")
          const missing = yield* without(service)
          const application = yield* insurable
          const answer = yield* withoutOutsideRequests(leavesRowsUnchanged(missing(spanish.start(auth, application))))
          assert.deepStrictEqual(refusal(answer), noInsurer)
        })
    )

    it.effect("cannot sell a quote while its insurer is missing, but can sell it afterwards", () =>
      Effect.gen(function* () {
        const { auth } = yield* company("production")
        const { id, placa } = yield* quotedLive(auth)
        const missing = yield* without("INSURER")
        assert.deepStrictEqual(
          refusal(yield* withoutOutsideRequests(leavesRowsUnchanged(missing(spanish.sell(auth, id, placa))))),
          noInsurer
        )
        assert.strictEqual((yield* spanish.read(auth, id)).body.data.estado, "cotizado")
        assert.strictEqual((yield* spanish.sell(auth, id, placa)).status, 201)
      })
    )
  }
)
