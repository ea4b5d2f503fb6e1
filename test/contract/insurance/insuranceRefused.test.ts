import { assert, describe, layer } from "@effect/vitest"
import { Effect, Struct } from "effect"
import type { InsuranceState } from "../../../core/domain/InsuranceState.ts"
import { Companies } from "../../../core/ports/Companies.ts"
import { eventually } from "../../support/Eventually.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { newToken } from "../../support/service/CustomerCompany.ts"
import { get, sell } from "../../support/service/HttpCalls.ts"
import {
  applicationFor,
  type Headers,
  inState,
  insuranceCompany,
  insuranceForms,
  planned,
  plateEnding,
  quoted,
  type Steps,
  type Under
} from "../../support/service/InsuranceCalls.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { SpreadTestServer } from "../../support/service/TestServer.ts"
import { leavesRowsUnchanged } from "../../support/service/UnchangedRows.ts"

type Row = readonly [wrong: object, details: object]

const malformed: ReadonlyArray<Row> = [
  [{ cedula: "0011234567" }, { cedula: "invalido" }],
  [{ cedula: "001123456789" }, { cedula: "invalido" }],
  [{ cedula: "001-1234567-8" }, { cedula: "invalido" }],
  [{ cedula: 11_234_567_890 }, { cedula: "invalido" }],
  [{ cedula: undefined }, { cedula: "requerido" }],
  [{ telefono: "8105551234" }, { telefono: "invalido" }],
  [{ telefono: "809555123" }, { telefono: "invalido" }],
  [{ telefono: "809-555-1234" }, { telefono: "invalido" }],
  [{ telefono: "+18095551234" }, { telefono: "invalido" }],
  [{ telefono: null }, { telefono: "requerido" }],
  [{ placa: "A1234" }, { placa: "invalido" }],
  [{ placa: "A12345678" }, { placa: "invalido" }],
  [{ placa: "1234567" }, { placa: "invalido" }],
  [{ placa: "AB12345" }, { placa: "invalido" }],
  [{ placa: " A123456" }, { placa: "invalido" }],
  [{ placa: "ſ123456" }, { placa: "invalido" }],
  [{ placa: "Ñ123456" }, { placa: "invalido" }],
  [{ placa: undefined }, { placa: "requerido" }],
  [{ service_id: "6" }, { service_id: "invalido" }],
  [{ terminal_id: "7".repeat(51) }, { terminal_id: "longitud" }],
  [
    { cedula: "1", telefono: "2", placa: "3", service_id: undefined },
    { service_id: "requerido", cedula: "invalido", telefono: "invalido", placa: "invalido" }
  ]
]

/** One call of each endpoint that has the id of an insurance in its path. */
const stepsOf = (at: Steps, auth: Headers, id: number | string) => [
  at.resend(auth, id),
  at.verify(auth, id),
  at.plans(auth, id, "LE 1.8"),
  at.choose(auth, id, "LE 1.8"),
  at.quote(auth, id),
  at.read(auth, id),
  get(at.documentPath(id, "poliza"), auth)
]

layer(SpreadTestServer, { excludeTestServices: true })("an insurance is rejected (contract 4.6 and 7)", (it) => {
  describe.each(insuranceForms.map((at) => [at.form, at] as const))("at %s", (_, at) => {
    it.effect.each(malformed)("when its application has the invalid fields %j", ([wrong, details]) =>
      Effect.gen(function* () {
        const { auth } = yield* insuranceCompany()
        const { body, status } = yield* leavesRowsUnchanged(at.start(auth, { ...applicationFor(), ...wrong }))
        assert.deepStrictEqual([status, body.error.code, body.error.details], [422, "VALIDATION_ERROR", details])
      })
    )

    it.effect.each([
      ["50", 422, "SEGURO_RECHAZADO", null],
      ["54", 422, "VEHICULO_NO_SOPORTADO", null],
      ["55", 503, "SEGUROS_NO_DISPONIBLE", "30"]
    ] as const)("for a plate that ends in %s, with status %i and code %s", ([ending, expected, code, retryAfter]) =>
      Effect.gen(function* () {
        const { auth } = yield* insuranceCompany()
        const { body, headers, status } = yield* leavesRowsUnchanged(
          at.start(auth, applicationFor(plateEnding(ending)))
        )
        assert.deepStrictEqual([status, body.error.code, body.error.details], [expected, code, undefined])
        assert.strictEqual(headers.get("retry-after"), retryAfter)
      })
    )

    it.effect("at the quote when the vehicle already has a policy, with the date from which it can be renewed", () =>
      Effect.gen(function* () {
        const { auth } = yield* insuranceCompany()
        const { id } = yield* planned(auth, plateEnding("53"), at)
        const { body, status } = yield* leavesRowsUnchanged(at.quote(auth, id))
        assert.deepStrictEqual([status, body.error.code], [422, "POLIZA_ACTIVA"])
        const { renovable_desde } = body.error.details
        assert.match(renovable_desde, /^\d{4}-\d\d-\d\d$/)
        assert.include(body.error.message, renovable_desde)
      })
    )

    it.effect.each([1, 99])("for service %i, which is not insurance", (service_id) =>
      Effect.gen(function* () {
        const { auth } = yield* insuranceCompany()
        const { body, status } = yield* leavesRowsUnchanged(at.start(auth, { ...applicationFor(), service_id }))
        assert.deepStrictEqual([status, body.error.code], [422, "INVALID_PRODUCT"])
      })
    )

    it.effect("in production while no insurer is configured; the simulator is not used", () =>
      Effect.gen(function* () {
        const { auth } = yield* insuranceCompany({ company: { environment: "production" } })
        const { body, status } = yield* leavesRowsUnchanged(at.start(auth, applicationFor()))
        assert.deepStrictEqual([status, body.error.code], [503, "SEGUROS_NO_DISPONIBLE"])
      })
    )

    it.effect("at every step that calls the insurer, when the call fails or lasts longer than 30 seconds", () =>
      Effect.gen(function* () {
        const { insurer: script } = yield* Script
        const { pass } = yield* ManualClock
        const { auth } = yield* insuranceCompany()
        const { id, placa, version } = yield* planned(auth, undefined, at)
        const silence = Effect.yieldNow.pipe(Effect.andThen(pass("31 seconds")), Effect.andThen(Effect.never))
        for (const failure of [Effect.die(new Error("connection lost")), silence]) {
          script.set(placa, { inspect: () => failure, plans: () => failure, quote: () => failure })
          for (const step of [
            at.start(auth, applicationFor(placa)),
            at.plans(auth, id, version),
            at.choose(auth, id, version),
            at.quote(auth, id)
          ]) {
            const { body, status } = yield* leavesRowsUnchanged(step)
            assert.deepStrictEqual([status, body.error.code], [503, "SEGUROS_NO_DISPONIBLE"])
          }
        }
      })
    )

    it.effect.each(["0", "-1", "1.5", "abc", "9007199254740992", "01", "1e3"])("when its id is malformed: %s", (id) =>
      Effect.gen(function* () {
        const { auth } = yield* insuranceCompany()
        for (const step of stepsOf(at, auth, id)) {
          const { body, status } = yield* leavesRowsUnchanged(step)
          assert.deepStrictEqual(
            [status, body.error.code, body.error.details],
            [422, "VALIDATION_ERROR", { id: "invalido" }]
          )
        }
      })
    )

    it.effect("when it belongs to another company", () =>
      Effect.gen(function* () {
        const [mine, theirs] = [yield* insuranceCompany(), yield* insuranceCompany()]
        const { id, placa } = yield* quoted(mine.auth, undefined, at)
        for (const strange of [id, 987_654_321]) {
          for (const step of stepsOf(at, theirs.auth, strange)) {
            const { body, status } = yield* leavesRowsUnchanged(step)
            assert.deepStrictEqual([status, body.error.code], [404, "NOT_FOUND"])
          }
          const sale = yield* leavesRowsUnchanged(at.sell(theirs.auth, strange, placa))
          assert.deepStrictEqual([sale.status, sale.body.error.details], [422, { opcion_id: "invalido" }])
        }
      })
    )

    it.effect("at every step except the availability query, when the company may not sell insurance", () =>
      Effect.gen(function* () {
        const { auth, companyId } = yield* insuranceCompany()
        const { id, placa } = yield* quoted(auth, undefined, at)
        const setEnabled = (insuranceEnabled: boolean) =>
          Companies.use((companies) => companies.change(companyId, { insuranceEnabled }))
        yield* setEnabled(false)
        yield* eventually(at.available(auth), ({ body }) => !body.data.disponible)
        for (const step of [at.start(auth, applicationFor()), ...stepsOf(at, auth, id), at.sell(auth, id, placa)]) {
          const { body, status } = yield* leavesRowsUnchanged(step)
          assert.deepStrictEqual([status, body.error.code], [403, "FORBIDDEN"])
        }
        // A malformed id is reported first, even to a company without permission.
        const unreadable = yield* leavesRowsUnchanged(at.read(auth, "abc"))
        assert.deepStrictEqual([unreadable.status, unreadable.body.error.details], [422, { id: "invalido" }])
        yield* setEnabled(true)
        yield* eventually(at.available(auth), ({ body }) => body.data.disponible)
        assert.strictEqual((yield* at.sell(auth, id, placa)).status, 201)
      })
    )

    it.effect("at every step, including the availability query, when the token has no permission to sell", () =>
      Effect.gen(function* () {
        const { companyId } = yield* insuranceCompany()
        const { auth } = yield* newToken(companyId, { permissions: ["balance.read", "services.read"] })
        for (const step of [at.available(auth), at.start(auth, applicationFor()), ...stepsOf(at, auth, 1)]) {
          const { body, status } = yield* leavesRowsUnchanged(step)
          assert.deepStrictEqual([status, body.error.code], [403, "FORBIDDEN"])
        }
      })
    )

    it.effect.each(["true", 1, "", [], {}])("a quote is refused when the value of an extra is %j", (wish) =>
      Effect.gen(function* () {
        const { auth } = yield* insuranceCompany()
        const { id } = yield* planned(auth, undefined, at)
        const { body, status } = yield* leavesRowsUnchanged(
          at.quote(auth, id, { incluye_grua: wish, incluye_casa_conductor: wish })
        )
        assert.deepStrictEqual(
          [status, body.error.details],
          [422, { incluye_grua: "invalido", incluye_casa_conductor: "invalido" }]
        )
      })
    )

    it.effect("at a reversal, in every state in which a sale exists", () =>
      Effect.gen(function* () {
        const { auth } = yield* insuranceCompany()
        for (const state of ["cobrando", "emitiendo", "emitida", "fallida"] as const) {
          const { id } = yield* inState[state](auth, at)
          const { transaction_id } = (yield* at.read(auth, id)).body.data
          const { body, status } = yield* leavesRowsUnchanged(
            sell(undefined, auth, `/v1/transacciones/${transaction_id}/anular`)
          )
          assert.deepStrictEqual([status, body.error.code], [422, "REVERSAL_NOT_SUPPORTED"], state)
        }
      })
    )
  })
})

const steps = {
  resend: (at: Steps, { auth, id }: Under) => at.resend(auth, id),
  verify: (at: Steps, { auth, id }: Under) => at.verify(auth, id),
  plans: (at: Steps, { auth, id, version }: Under) => at.plans(auth, id, version),
  choose: (at: Steps, { auth, id, version }: Under) => at.choose(auth, id, version),
  quote: (at: Steps, { auth, id }: Under) => at.quote(auth, id),
  sell: (at: Steps, { auth, id, placa }: Under) => at.sell(auth, id, placa),
  read: (at: Steps, { auth, id }: Under) => at.read(auth, id),
  document: (at: Steps, { auth, id }: Under) => get(at.documentPath(id, "poliza"), auth)
}

const order = "SEGURO_PASO_INVALIDO"
const price = "SEGURO_SIN_COTIZAR"
const sold = "SEGURO_YA_VENDIDO"
const paper = "POLIZA_NO_EMITIDA"

type Expected = 200 | 201 | typeof order | typeof price | typeof sold | typeof paper

/** HTTP status or error code of each step in each state. Contract: 3.3 and 4.6. */
const table: ReadonlyArray<readonly [InsuranceState, ...ReadonlyArray<Expected>]> = [
  // state           resend verify plans  choose quote  sell   read document
  ["iniciada", 200, 200, order, order, order, price, 200, paper],
  ["otp_enviado", 200, 200, order, order, order, price, 200, paper],
  ["otp_validado", order, order, 200, 200, order, price, 200, paper],
  ["plan_confirmado", order, order, 200, 200, 200, price, 200, paper],
  ["cotizado", order, order, 200, 200, 200, 201, 200, paper],
  ["cobrando", order, order, order, order, order, sold, 200, paper],
  ["emitiendo", order, order, order, order, order, sold, 200, paper],
  ["emitida", order, order, order, order, order, sold, 200, 200],
  ["fallida", order, order, order, order, order, sold, 200, paper]
]

/** The state after each successful step. A step that is not listed leaves the state unchanged. */
const stateAfter: Partial<Record<keyof typeof steps, InsuranceState>> = {
  resend: "otp_enviado",
  verify: "otp_validado",
  choose: "plan_confirmado",
  quote: "cotizado",
  sell: "emitida"
}

const names = Struct.keys(steps)
const pairs = table.flatMap(([state, ...row]) =>
  names.map((step, index) => [step, state, row[index] ?? assert.fail("the row is too short")] as const)
)

layer(SpreadTestServer, { excludeTestServices: true })("an insurance (contract 3.3)", (it) => {
  describe.each(insuranceForms.map((at) => [at.form, at] as const))("at %s", (_, at) => {
    it.effect.each(pairs.filter((_, index) => insuranceForms[index % insuranceForms.length] === at))(
      "answers the step %s in the state %s with %s",
      ([step, state, expected]) =>
        Effect.gen(function* () {
          const { auth } = yield* insuranceCompany()
          const under = yield* inState[state](auth, at)
          const stateNow = Effect.map(at.read(auth, under.id), ({ body }) => body.data.estado)
          assert.strictEqual(yield* stateNow, state)
          const taken = steps[step](at, under)
          if (typeof expected === "number") {
            assert.strictEqual((yield* taken).status, expected)
            assert.strictEqual(yield* stateNow, stateAfter[step] ?? state)
          } else {
            const { body } = yield* leavesRowsUnchanged(taken)
            assert.strictEqual(body.error.code, expected)
            if (expected !== price) assert.strictEqual(body.error.details.estado, state)
          }
        })
    )
  })
})
