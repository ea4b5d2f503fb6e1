import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { codes, type ErrorCode } from "../../../core/domain/ErrorCodes.ts"
import { DocumentsBusy } from "../../../core/domain/Errors.ts"
import { Centavos } from "../../../core/domain/Money.ts"
import { DispatchAnswer } from "../../../core/domain/Sale.ts"
import type { ApiResponse } from "../../support/ApiDocument.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import { call, get, post, sell } from "../../support/service/HttpCalls.ts"
import {
  applicationFor,
  inState,
  insuranceCompany,
  planned,
  plateEnding,
  quoted,
  spanish,
  started,
  wrongCode
} from "../../support/service/InsuranceCalls.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { TestServer } from "../../support/service/TestServer.ts"

type Headers = Record<string, string>
type Wanted = Parameters<typeof customer>[0]

const sale = { service_id: 1, identifier: "8095550003", amount: 100 }

/** A call by a new company, with 1000 pesos by default. */
const withCompany = <R>(how: (auth: Headers) => Effect.Effect<ApiResponse, never, R>, wanted?: Wanted) =>
  Effect.flatMap(customer(wanted), ({ auth }) => how(auth))

const sold = (other: object, wanted?: Wanted) => withCompany((auth) => sell({ ...sale, ...other }, auth), wanted)

/** A sale for which the provider gives this answer. */
const answered = (identifier: string, answer: DispatchAnswer) =>
  Effect.andThen(
    Script.useSync(({ provider }) => provider.set(identifier, { dispatch: () => Effect.succeed(answer) })),
    sold({ identifier })
  )

/** The retry of a sale whose process crashed after the reservation; `later` is the time since the crash. */
const afterCrash = (identifier: string, later: "1 minutes" | "1 hours") =>
  withCompany((auth) =>
    Effect.gen(function* () {
      const { crash } = yield* Script
      const { pass } = yield* ManualClock
      const once = sell({ ...sale, identifier }, { ...auth, "idempotency-key": "una" })
      crash.add(identifier)
      const lost = yield* once
      crash.delete(identifier)
      assert.strictEqual(lost.status, 500)
      yield* pass(later)
      return yield* once
    })
  )

const paidTwice = withCompany(
  (auth) =>
    Effect.gen(function* () {
      const bill = { service_id: 5, identifier: "8095550003" }
      const { opciones } = (yield* post("/v1/consultas", bill, auth)).body.data
      const pay = () => sell({ ...bill, opcion_id: opciones[0].opcion_id }, auth)
      assert.strictEqual((yield* pay()).status, 201)
      return yield* pay()
    }),
  { money: 40_000 }
)

const reversed = withCompany((auth) =>
  Effect.gen(function* () {
    const { transaction_id } = (yield* sell(sale, auth)).body.data
    return yield* post(`/v1/transacciones/${transaction_id}/anular`, {}, { ...auth, "idempotency-key": "dos" })
  })
)

/** A call by a new company with insurance enabled. */
const withInsurance = <E, R>(how: (auth: Headers) => Effect.Effect<ApiResponse, E, R>) =>
  Effect.flatMap(insuranceCompany(), ({ auth }) => how(auth))

/** The first insurance step, for a plate that ends in these digits. */
const startedAt = (ending: string) => withInsurance((auth) => spanish.start(auth, applicationFor(plateEnding(ending))))

const soldLate = withInsurance((auth) =>
  Effect.gen(function* () {
    const { pass } = yield* ManualClock
    const { id, placa } = yield* quoted(auth)
    yield* pass("30 minutes")
    return yield* spanish.sell(auth, id, placa)
  })
)

const guessedSixTimes = withInsurance((auth) =>
  Effect.gen(function* () {
    const { id } = yield* started(auth)
    const guess = spanish.verify(auth, id, wrongCode)
    yield* Effect.replicateEffect(guess, 5)
    return yield* guess
  })
)

const tooManyDocuments = withInsurance((auth) =>
  Effect.gen(function* () {
    const { renderer } = yield* Script
    const { id, placa } = yield* inState.emitida(auth, spanish)
    renderer.set(placa, () => Effect.fail(new DocumentsBusy()))
    return yield* get(spanish.documentPath(id, "poliza"), auth)
  })
)

/** For each error code, a call that fails with this code. */
const scenes = {
  UNAUTHENTICATED: call("/v1/saldo"),
  FORBIDDEN: withCompany((auth) => get("/v1/saldo", auth), { token: { permissions: ["account.read"] } }),
  NOT_FOUND: withCompany((auth) => get("/v1/transacciones/999999", auth)),
  VALIDATION_ERROR: sold({ amount: -1 }),
  INSUFFICIENT_BALANCE: sold({ amount: 1_001 }),
  LIMIT_EXCEEDED: sold({}, { limits: { weekly: Centavos.make(9_999) } }),
  IDEMPOTENT_REQUEST_IN_PROGRESS: afterCrash("8095550013", "1 minutes"),
  IDEMPOTENCY_CONFLICT: afterCrash("8095550023", "1 hours"),
  RATE_LIMIT_EXCEEDED: withCompany((auth) => Effect.andThen(get("/v1/saldo", auth), get("/v1/saldo", auth)), {
    token: { callsPerMinute: 1 }
  }),
  TRANSACTION_PENDING: sold({ identifier: "8095550002" }),
  INVALID_PHONE: sold({ identifier: "8095550000" }),
  INVALID_PRODUCT: sold({ service_id: 99 }),
  INVALID_AMOUNT: answered("8095550033", DispatchAnswer.Refused({ refusal: "INVALID_AMOUNT" })),
  DUPLICATE_TRANSACTION: paidTwice,
  TRANSACTION_REJECTED: sold({ identifier: "8095550001" }),
  SERVICE_TIMEOUT: withCompany((auth) => post("/v1/consultas", { service_id: 3, identifier: "8095550002" }, auth)),
  SERVICE_UNAVAILABLE: answered("8095550043", DispatchAnswer.NotSent()),
  DOCUMENTO_NO_DISPONIBLE: tooManyDocuments,
  REVERSAL_NOT_SUPPORTED: reversed,
  NOT_IMPLEMENTED: withCompany((auth) => post("/v1/consultas", { service_id: 6, identifier: "A123456" }, auth), {
    company: { insuranceEnabled: true }
  }),
  INTERNAL_ERROR: withCompany((auth) =>
    Effect.gen(function* () {
      const { crash } = yield* Script
      crash.add("8095550053")
      return yield* sell({ ...sale, identifier: "8095550053" }, auth)
    })
  ),
  SEGURO_NO_EMITIDO: withInsurance((auth) =>
    Effect.flatMap(quoted(auth, plateEnding("51")), ({ id, placa }) => spanish.sell(auth, id, placa))
  ),
  COTIZACION_VENCIDA: soldLate,
  SEGURO_YA_VENDIDO: withInsurance((auth) =>
    Effect.flatMap(inState.emitida(auth, spanish), ({ id, placa }) => spanish.sell(auth, id, placa))
  ),
  SEGURO_SIN_COTIZAR: withInsurance((auth) =>
    Effect.flatMap(planned(auth), ({ id, placa }) => spanish.sell(auth, id, placa))
  ),
  POLIZA_ACTIVA: withInsurance((auth) =>
    Effect.flatMap(planned(auth, plateEnding("53")), ({ id }) => spanish.quote(auth, id))
  ),
  POLIZA_NO_EMITIDA: withInsurance((auth) =>
    Effect.flatMap(quoted(auth), ({ id }) => get(spanish.documentPath(id, "marbete"), auth))
  ),
  VEHICULO_NO_SOPORTADO: startedAt("54"),
  SEGURO_RECHAZADO: startedAt("50"),
  OTP_INCORRECTO: withInsurance((auth) =>
    Effect.flatMap(started(auth), ({ id }) => spanish.verify(auth, id, wrongCode))
  ),
  OTP_BLOQUEADO: guessedSixTimes,
  SEGURO_PASO_INVALIDO: withInsurance((auth) => Effect.flatMap(started(auth), ({ id }) => spanish.quote(auth, id))),
  SEGUROS_NO_DISPONIBLE: startedAt("55")
} satisfies Record<ErrorCode, Effect.Effect<ApiResponse, unknown, unknown>>

/** The Retry-After header in seconds. Codes that are not listed have no such header. */
const retryAfter_s: Partial<Record<ErrorCode, string>> = {
  IDEMPOTENT_REQUEST_IN_PROGRESS: "2",
  RATE_LIMIT_EXCEEDED: "60",
  TRANSACTION_PENDING: "10",
  SERVICE_UNAVAILABLE: "30",
  SEGUROS_NO_DISPONIBLE: "30",
  DOCUMENTO_NO_DISPONIBLE: "2"
}

/** Messages that are not the fixed text of their code. */
const longerMessages: Partial<Record<ErrorCode, RegExp>> = {
  POLIZA_ACTIVA: /ya tiene una póliza vigente; puede renovarla a partir del \d{4}-\d\d-\d\d\.$/,
  SEGURO_RECHAZADO: /cédula/
}

layer(TestServer, { excludeTestServices: true })("an error (contract 7)", (it) => {
  it.effect.each(Object.entries(scenes) as ReadonlyArray<readonly [ErrorCode, typeof scenes.FORBIDDEN]>)(
    "with the code %s has the documented status, message and headers",
    ([code, scene]) =>
      Effect.gen(function* () {
        const { body, headers, status, text } = yield* scene
        assert.deepStrictEqual([status, body.success, body.error.code], [codes[code].status, false, code])
        const { [code]: more } = longerMessages
        if (more === undefined) assert.strictEqual(body.error.message, codes[code].message)
        else assert.match(body.error.message, more)
        assert.hasAllKeys(body, ["success", "error", "request_id"])
        assert.strictEqual(headers.get("x-request-id"), body.request_id)
        assert.strictEqual(headers.get("retry-after"), retryAfter_s[code] ?? null)
        assert.strictEqual(headers.get("cache-control"), "no-store")
        assert.notMatch(text, /select|cell"?\.|at \w+ \(/i)
      })
  )
})
