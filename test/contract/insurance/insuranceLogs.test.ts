import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { insurancePurpose } from "../../../adapters/postgres/insurance/InsuranceRow.ts"
import { InsuranceRejected } from "../../../core/domain/InsuranceErrors.ts"
import { SmsAnswer } from "../../../core/domain/Sms.ts"
import type { Insurer } from "../../../core/ports/Insurer.ts"
import { Vault } from "../../../core/ports/Vault.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import { sendDue } from "../../../core/workflows/SendSms.ts"
import type { ApiResponse } from "../../support/ApiDocument.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { CapturedLog } from "../../support/service/CapturedLog.ts"
import { call, get, post } from "../../support/service/HttpCalls.ts"
import {
  applicationFor,
  type Headers,
  insuranceCompany,
  planned,
  plateEnding,
  quoted,
  spanish,
  started,
  verified
} from "../../support/service/InsuranceCalls.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { testServer } from "../../support/service/TestServer.ts"

/** Personal data and an SMS code that must not appear in a log. */
const canary = {
  cedula: "40298765431",
  telefono: "8497654329",
  titular: "Zurbarana Quirogueta",
  chasis: "9CANARIO3W386752",
  codigo: "918273"
}

/** A recognisable part of each value in `canary`, in lower case. */
const needles = ["402987", "7654329", "zurbarana", "quirogueta", "9canario", canary.codigo]

const quoting = `${Object.values(canary).join(" / ")}\n    at ${canary.titular} (${canary.cedula}:1:1)`

/** A defect with the personal data in its message, its cause and its own properties. */
const defect = Object.assign(new TypeError(quoting, { cause: new Error(quoting) }), { data: canary })

const application = (placa = plateEnding()) => ({
  ...applicationFor(placa),
  cedula: canary.cedula,
  telefono: canary.telefono
})

const inspected = {
  reference: "CASO-1",
  holder: canary.titular,
  vehicle: { brand: "Toyota", model: "Corolla", year: 2019, type: "automovil" as const, chassis: canary.chasis },
  renewal: false,
  versions: [{ id: "LE", name: "LE", suggested: true }]
}

/** Asserts that the error details of a response contain no value of `canary`. */
const withoutPersonalData = (answer: ApiResponse): ApiResponse => {
  const details = JSON.stringify(answer.body?.error?.details ?? null).toLowerCase()
  for (const needle of needles) assert.notInclude(details, needle)
  return answer
}

const played = (plate: string, how: Partial<Insurer>) => Script.useSync(({ insurer: script }) => script.set(plate, how))

/** Asserts the status of a response, and that its error details contain no value of `canary`. */
const checkStatus = Effect.fnUntraced(function* <R>(step: Effect.Effect<ApiResponse, never, R>, status: number) {
  assert.strictEqual(withoutPersonalData(yield* step).status, status)
})

const start = (auth: Headers, body: object) => spanish.start(auth, { ...application(), ...body })

/** The log. Asserts first that it contains no value of `canary`. */
const checkedLog = Effect.gen(function* () {
  const log = (yield* CapturedLog).join("\n").toLowerCase()
  for (const needle of needles) assert.isFalse(log.includes(needle), log.slice(Math.max(0, log.indexOf(needle) - 400)))
  return log
})

const formats = ["json", "pretty"] as const

const withCapturedLog = (format: (typeof formats)[number]) =>
  testServer({ LOG_LEVEL: "all", LOG_FORMAT: format }).pipe(Layer.provideMerge(CapturedLog.layer))

describe.each(formats)("a log in the format %s", (format) => {
  layer(withCapturedLog(format), { excludeTestServices: true })("has no personal data and no SMS code", (it) => {
    it.effect("after all steps from a plate to a policy", () =>
      Effect.gen(function* () {
        const { auth } = yield* insuranceCompany()
        const wanted = application()
        yield* played(wanted.placa, { inspect: () => Effect.succeed(inspected) })
        const { id } = yield* started(auth, wanted)
        yield* checkStatus(spanish.verify(auth, id, canary.codigo), 422)
        yield* checkStatus(spanish.resend(auth, id), 200)
        yield* checkStatus(spanish.verify(auth, id), 200)
        yield* played(wanted.placa, {})
        const { version } = yield* verified(auth, wanted.placa)
        yield* played(wanted.placa, {
          plans: () => Effect.succeed({ detail: quoting, plans: [], extras: [] })
        })
        yield* checkStatus(spanish.plans(auth, id, "LE"), 200)
        yield* checkStatus(spanish.plans(auth, id, version), 422)
        const sold = yield* quoted(auth)
        yield* checkStatus(spanish.sell(auth, sold.id, sold.placa), 201)
        for (const tipo of ["poliza", "marbete"]) {
          yield* checkStatus(get(spanish.documentPath(sold.id, tipo), auth), 200)
        }
        yield* checkedLog
      })
    )

    it.effect("when a request is malformed", () =>
      Effect.gen(function* () {
        const { auth } = yield* insuranceCompany()
        const { id } = yield* started(auth)
        const json = { ...auth, "content-type": "application/json" }
        const { cedula, codigo, telefono, titular } = canary
        for (const wrong of [
          { cedula: `${cedula}0` },
          { cedula: `${cedula.slice(0, 3)}-${cedula.slice(3)}` },
          { cedula: Number(cedula) },
          { cedula: { cedula } },
          { telefono: `+1${telefono}` },
          { telefono: [telefono] },
          { placa: titular },
          { placa: cedula },
          { service_id: cedula },
          { terminal_id: { titular, telefono } },
          { empresa_id: Number(cedula) },
          { [cedula]: titular }
        ]) {
          withoutPersonalData(yield* start(auth, wrong))
        }
        for (const body of [
          `{"cedula":"${cedula}","telefono":"${telefono}",`,
          `{"cedula":"${cedula}","cedula":"${cedula}"}`,
          `"${titular}"`,
          `{"cedula":"${cedula}\u0000"}`
        ]) {
          yield* checkStatus(post("/v1/seguros", body, auth), 422)
        }
        for (const wrong of [`${codigo}4`, Number(codigo), [codigo], { codigo }]) {
          yield* checkStatus(spanish.verify(auth, id, wrong), 422)
        }
        for (const path of [cedula, titular, `${id}/${telefono}`, `${id}/documento?tipo=${titular}`]) {
          withoutPersonalData(yield* get(`/v1/seguros/${path}`, auth))
          withoutPersonalData(
            yield* call(`/v1/seguros/${path}/otp/verificar`, { method: "POST", headers: json, body: codigo })
          )
        }
        withoutPersonalData(
          yield* call(`/trpc/seguros.iniciar`, { method: "POST", headers: json, body: `{"cedula":"${cedula}"` })
        )
        withoutPersonalData(yield* call(`/trpc/seguros.ver?input=${cedula}`, { headers: auth }))
        yield* checkedLog
      })
    )

    it.effect("when the insurer rejects, fails, or sends an invalid response", () =>
      Effect.gen(function* () {
        const { auth } = yield* insuranceCompany()
        const { id, placa, version } = yield* planned(auth)
        const steps = [
          () => spanish.start(auth, application(placa)),
          () => spanish.plans(auth, id, version),
          () => spanish.choose(auth, id, version),
          () => spanish.quote(auth, id)
        ]
        const failures = [
          [Effect.fail(new InsuranceRejected({ reason: quoting })), 422],
          [Effect.die(defect), 503],
          [Effect.die(quoting), 503],
          [Effect.die({ message: quoting }), 503],
          [Effect.sync(() => JSON.parse(quoting) as never), 503]
        ] as const
        for (const [failure, status] of failures) {
          yield* played(placa, { inspect: () => failure, plans: () => failure, quote: () => failure })
          for (const step of steps) yield* checkStatus(step(), status)
        }
        const holder = { nombre: canary.titular } as unknown as string
        yield* played(placa, { inspect: () => Effect.succeed({ ...inspected, holder }) })
        yield* checkStatus(spanish.start(auth, application(placa)), 500)
        const log = yield* checkedLog
        assert.match(log, /question\W+quote/)
        assert.include(log, "a call failed")
      })
    )

    it.effect("when the insurer fails during the sale, or during a status query", () =>
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const { auth } = yield* insuranceCompany()
        const { id, placa } = yield* quoted(auth)
        yield* played(placa, { issue: () => Effect.die(defect), status: () => Effect.die(defect) })
        yield* checkStatus(spanish.sell(auth, id, placa), 202)
        yield* pass("1 minutes")
        yield* recover("all")
        const log = yield* checkedLog
        assert.include(log, "the provider's adapter failed on a sale, which stays held")
        assert.include(log, "status")
      })
    )

    it.effect("when an SMS cannot be sent", () =>
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const { sms } = yield* Script
        const { auth } = yield* insuranceCompany()
        for (const answer of [
          Effect.die(defect),
          Effect.succeed(SmsAnswer.NotSent({ reason: quoting })),
          Effect.succeed(SmsAnswer.Rejected({ reason: quoting })),
          Effect.succeed(SmsAnswer.Unknown({ reason: quoting }))
        ]) {
          sms.set(canary.telefono, () => answer)
          const { body } = withoutPersonalData(yield* start(auth, {}))
          assert.isFalse(body.data.otp_enviado)
          yield* pass("6 seconds")
          yield* sendDue()
        }
        sms.delete(canary.telefono)
        assert.include(yield* checkedLog, "an sms was not sent")
      })
    )

    it.effect("when a document cannot be rendered, or stored data cannot be decrypted or parsed", () =>
      Effect.gen(function* () {
        const { renderer } = yield* Script
        const { auth, companyId } = yield* insuranceCompany()
        const { id, placa } = yield* quoted(auth)
        yield* checkStatus(spanish.sell(auth, id, placa), 201)
        renderer.set(placa, () => Effect.die(defect))
        yield* checkStatus(get(spanish.documentPath(id, "poliza"), auth), 500)

        const sql = yield* PgClient.PgClient
        const vault = yield* Vault
        for (const kept of [JSON.stringify({ ...canary, phone: canary.telefono, holder: [canary.titular] }), quoting]) {
          const sealed = yield* vault.seal(kept, insurancePurpose(companyId, id))
          yield* sql`update cell.insurance set insured = ${sealed} where id = ${id}`
          yield* checkStatus(spanish.read(auth, id), 500)
          yield* checkStatus(spanish.sell(auth, id, placa), 500)
        }
        yield* checkedLog
      })
    )
  })
})
