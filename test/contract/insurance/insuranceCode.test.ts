import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { sendDue } from "../../../core/workflows/SendSms.ts"
import type { ApiResponse } from "../../support/ApiDocument.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { call, post } from "../../support/service/HttpCalls.ts"
import {
  applicationFor,
  codeIn,
  inState,
  insuranceCompany,
  messagesTo,
  rightCode,
  spanish,
  started,
  wrongCode
} from "../../support/service/InsuranceCalls.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { TestServer } from "../../support/service/TestServer.ts"
import { leavesRowsUnchanged } from "../../support/service/UnchangedRows.ts"

/** What an attempt is told: status, code, and how many are left. */
const told = <R>(attempt: Effect.Effect<ApiResponse, never, R>) =>
  Effect.map(attempt, ({ body, status }) => [status, body.error?.code, body.error?.details?.intentos_restantes])

const right = [200, undefined, undefined]
const wrong = (left: number) => [422, "OTP_INCORRECTO", left]
const blocked = [409, "OTP_BLOQUEADO", undefined]

layer(TestServer, { excludeTestServices: true })("the code of an insurance (4.6 and 8)", (it) => {
  it.effect("holds for ten minutes, to the millisecond", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { auth } = yield* insuranceCompany()
      const [early, late] = [yield* started(auth), yield* started(auth)]
      yield* pass("599999 millis")
      assert.deepStrictEqual(yield* told(spanish.verify(auth, early.id)), right)
      yield* pass("1 millis")
      assert.deepStrictEqual(yield* told(spanish.verify(auth, late.id)), wrong(4))
      assert.strictEqual((yield* spanish.resend(auth, late.id)).status, 200)
      yield* pass("599999 millis")
      assert.deepStrictEqual(yield* told(spanish.verify(auth, late.id)), right)
    })
  )

  it.effect("may be wrong five times, over all the codes that were sent; then nothing opens it any more", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id } = yield* started(auth)
      assert.deepStrictEqual(yield* told(spanish.verify(auth, id, wrongCode)), wrong(4))
      assert.deepStrictEqual(yield* told(spanish.verify(auth, id, wrongCode)), wrong(3))
      yield* spanish.resend(auth, id)
      assert.deepStrictEqual(yield* told(spanish.verify(auth, id, wrongCode)), wrong(2))
      yield* spanish.resend(auth, id)
      assert.deepStrictEqual(yield* told(spanish.verify(auth, id, wrongCode)), wrong(1))
      assert.deepStrictEqual(yield* told(spanish.verify(auth, id, wrongCode)), wrong(0))
      assert.deepStrictEqual(yield* told(leavesRowsUnchanged(spanish.verify(auth, id, wrongCode))), blocked)
      assert.deepStrictEqual(yield* told(leavesRowsUnchanged(spanish.verify(auth, id, rightCode))), blocked)
      assert.deepStrictEqual(yield* told(leavesRowsUnchanged(spanish.resend(auth, id))), blocked)
      assert.strictEqual((yield* spanish.read(auth, id)).body.data.estado, "otp_enviado")
    })
  )

  it.effect("is right at the fifth attempt too", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id } = yield* started(auth)
      yield* Effect.replicateEffect(spanish.verify(auth, id, wrongCode), 4)
      assert.deepStrictEqual(yield* told(spanish.verify(auth, id)), right)
    })
  )

  it.effect("counts attempts that come at once one after the other", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id } = yield* started(auth)
      const answers = yield* Effect.replicateEffect(told(spanish.verify(auth, id, wrongCode)), 12, {
        concurrency: "unbounded"
      })
      const left = answers.filter(([, code]) => code === "OTP_INCORRECTO").map(([, , attempts]) => Number(attempts))
      assert.deepStrictEqual(
        left.toSorted((one, other) => one - other),
        [0, 1, 2, 3, 4]
      )
      assert.lengthOf(
        answers.filter(([, code]) => code === "OTP_BLOQUEADO"),
        7
      )
      assert.deepStrictEqual(yield* told(leavesRowsUnchanged(spanish.verify(auth, id))), blocked)
    })
  )

  it.effect("is taken once, however many bring it at the same time", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id } = yield* started(auth)
      const answers = yield* Effect.replicateEffect(spanish.verify(auth, id), 4, { concurrency: "unbounded" })
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409, 409])
      assert.strictEqual((yield* spanish.read(auth, id)).body.data.estado, "otp_validado")
    })
  )

  it.effect("may be sent again five times; the last one still counts", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id } = yield* started(auth)
      for (const _ of Array.from({ length: 5 })) assert.strictEqual((yield* spanish.resend(auth, id)).status, 200)
      assert.deepStrictEqual(yield* told(leavesRowsUnchanged(spanish.resend(auth, id))), blocked)
      assert.deepStrictEqual(yield* told(spanish.verify(auth, id)), right)
    })
  )

  it.effect.each(["12345", "1234567", "12345a", "", " 123456", "１２３４５６", 123456, ["123456"], null])(
    "is six digits, and %j is no attempt",
    (codigo) =>
      Effect.gen(function* () {
        const { auth } = yield* insuranceCompany()
        const { id } = yield* started(auth)
        const { body, status } = yield* leavesRowsUnchanged(spanish.verify(auth, id, codigo))
        const reason = codigo === null ? "requerido" : "invalido"
        assert.deepStrictEqual(
          [status, body.error.code, body.error.details],
          [422, "VALIDATION_ERROR", { codigo: reason }]
        )
      })
  )

  it.effect("that could not be sent is sent in the background, and the insurance goes on", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { auth } = yield* insuranceCompany()
      const { id } = yield* inState.iniciada(auth, spanish)
      const stateNow = Effect.map(spanish.read(auth, id), ({ body }) => body.data.estado)
      yield* sendDue()
      assert.strictEqual(yield* stateNow, "iniciada")
      yield* pass("5 seconds")
      yield* sendDue()
      assert.strictEqual(yield* stateNow, "otp_enviado")
      assert.deepStrictEqual(yield* told(spanish.verify(auth, id)), right)
    })
  )

  it.effect("that could not be sent may be asked for again: otp_enviado false, then true, and one message goes", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { auth } = yield* insuranceCompany()
      const { id, telefono } = yield* inState.iniciada(auth, spanish)
      const messages = yield* messagesTo(telefono)
      const { data } = (yield* spanish.resend(auth, id)).body
      assert.deepStrictEqual(data, { otp_enviado: true, otp_expira_en: 600 })
      assert.strictEqual((yield* spanish.read(auth, id)).body.data.estado, "otp_enviado")
      yield* pass("1 minutes")
      yield* sendDue()
      assert.lengthOf(messages, 1)
    })
  )

  it.effect("may be asked for with an empty body, or none", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id } = yield* started(auth)
      const path = `${spanish.form}/${id}/otp`
      for (const body of ["", "{}", undefined]) assert.strictEqual((yield* post(path, body, auth)).status, 200)
      const bare = yield* call(path, { method: "POST", headers: auth })
      assert.strictEqual(bare.status, 200)
    })
  )

  it.effect("is another one for each message in production, and only the last one opens", () =>
    Effect.gen(function* () {
      const { simulated } = yield* Script
      simulated.add("production")
      const { auth } = yield* insuranceCompany({ company: { environment: "production" } })
      const application = applicationFor()
      const messages = yield* messagesTo(application.telefono)
      const { id } = yield* started(auth, application)
      yield* spanish.resend(auth, id)
      const [first = "", last = ""] = messages.map(codeIn)
      assert.notStrictEqual(first, last)
      assert.deepStrictEqual(yield* told(spanish.verify(auth, id, first)), wrong(4))
      assert.deepStrictEqual(yield* told(spanish.verify(auth, id, last)), right)
      const sql = yield* PgClient.PgClient
      const kept = yield* sql`select to_jsonb(i)::text as row from cell.insurance as i where i.id = ${id}`
      const messagesKept = yield* sql`select to_jsonb(s)::text as row from cell.sms as s where s.insurance_id = ${id}`
      const database = JSON.stringify([kept, messagesKept])
      for (const secret of [application.telefono, application.cedula]) assert.notInclude(database, secret)
      simulated.delete("production")
    })
  )
})
