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

/** The outcome of an attempt to verify a code: HTTP status, error code, and the attempts left. */
const outcomeOf = <R>(attempt: Effect.Effect<ApiResponse, never, R>) =>
  Effect.map(attempt, ({ body, status }) => [status, body.error?.code, body.error?.details?.intentos_restantes])

const right = [200, undefined, undefined]
const wrong = (left: number) => [422, "OTP_INCORRECTO", left]
const blocked = [409, "OTP_BLOQUEADO", undefined]

layer(TestServer, { excludeTestServices: true })("the SMS code of an insurance (contract 4.6 and 8)", (it) => {
  it.effect("expires after ten minutes, to the millisecond", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { auth } = yield* insuranceCompany()
      const [early, late] = [yield* started(auth), yield* started(auth)]
      yield* pass("599999 millis")
      assert.deepStrictEqual(yield* outcomeOf(spanish.verify(auth, early.id)), right)
      yield* pass("1 millis")
      assert.deepStrictEqual(yield* outcomeOf(spanish.verify(auth, late.id)), wrong(4))
      assert.strictEqual((yield* spanish.resend(auth, late.id)).status, 200)
      yield* pass("599999 millis")
      assert.deepStrictEqual(yield* outcomeOf(spanish.verify(auth, late.id)), right)
    })
  )

  it.effect("is blocked after five wrong attempts in total, over all codes sent for the insurance", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id } = yield* started(auth)
      assert.deepStrictEqual(yield* outcomeOf(spanish.verify(auth, id, wrongCode)), wrong(4))
      assert.deepStrictEqual(yield* outcomeOf(spanish.verify(auth, id, wrongCode)), wrong(3))
      yield* spanish.resend(auth, id)
      assert.deepStrictEqual(yield* outcomeOf(spanish.verify(auth, id, wrongCode)), wrong(2))
      yield* spanish.resend(auth, id)
      assert.deepStrictEqual(yield* outcomeOf(spanish.verify(auth, id, wrongCode)), wrong(1))
      assert.deepStrictEqual(yield* outcomeOf(spanish.verify(auth, id, wrongCode)), wrong(0))
      assert.deepStrictEqual(yield* outcomeOf(leavesRowsUnchanged(spanish.verify(auth, id, wrongCode))), blocked)
      assert.deepStrictEqual(yield* outcomeOf(leavesRowsUnchanged(spanish.verify(auth, id, rightCode))), blocked)
      assert.deepStrictEqual(yield* outcomeOf(leavesRowsUnchanged(spanish.resend(auth, id))), blocked)
      assert.strictEqual((yield* spanish.read(auth, id)).body.data.estado, "otp_enviado")
    })
  )

  it.effect("is accepted at the fifth attempt", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id } = yield* started(auth)
      yield* Effect.replicateEffect(spanish.verify(auth, id, wrongCode), 4)
      assert.deepStrictEqual(yield* outcomeOf(spanish.verify(auth, id)), right)
    })
  )

  it.effect("is blocked after five wrong attempts, even when twelve arrive concurrently", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id } = yield* started(auth)
      const answers = yield* Effect.replicateEffect(outcomeOf(spanish.verify(auth, id, wrongCode)), 12, {
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
      assert.deepStrictEqual(yield* outcomeOf(leavesRowsUnchanged(spanish.verify(auth, id))), blocked)
    })
  )

  it.effect("is accepted once when four requests send it concurrently", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id } = yield* started(auth)
      const answers = yield* Effect.replicateEffect(spanish.verify(auth, id), 4, { concurrency: "unbounded" })
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409, 409])
      assert.strictEqual((yield* spanish.read(auth, id)).body.data.estado, "otp_validado")
    })
  )

  it.effect("can be sent again five times, and the last code is valid", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id } = yield* started(auth)
      for (const _ of Array.from({ length: 5 })) assert.strictEqual((yield* spanish.resend(auth, id)).status, 200)
      assert.deepStrictEqual(yield* outcomeOf(leavesRowsUnchanged(spanish.resend(auth, id))), blocked)
      assert.deepStrictEqual(yield* outcomeOf(spanish.verify(auth, id)), right)
    })
  )

  it.effect.each(["12345", "1234567", "12345a", "", " 123456", "１２３４５６", 123456, ["123456"], null])(
    "must have six digits: the malformed code %j is rejected and does not count as an attempt",
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

  it.effect("is sent in the background when the first SMS failed", () =>
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
      assert.deepStrictEqual(yield* outcomeOf(spanish.verify(auth, id)), right)
    })
  )

  it.effect("can be requested again when the first SMS failed, and then only one SMS is sent", () =>
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

  it.effect("can be requested again with an empty body or without a body", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { id } = yield* started(auth)
      const path = `${spanish.form}/${id}/otp`
      for (const body of ["", "{}", undefined]) assert.strictEqual((yield* post(path, body, auth)).status, 200)
      const bare = yield* call(path, { method: "POST", headers: auth })
      assert.strictEqual(bare.status, 200)
    })
  )

  it.effect("is different in every SMS in production, and only the last code is valid", () =>
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
      assert.deepStrictEqual(yield* outcomeOf(spanish.verify(auth, id, first)), wrong(4))
      assert.deepStrictEqual(yield* outcomeOf(spanish.verify(auth, id, last)), right)
      const sql = yield* PgClient.PgClient
      const kept = yield* sql`select to_jsonb(i)::text as row from cell.insurance as i where i.id = ${id}`
      const messagesKept = yield* sql`select to_jsonb(s)::text as row from cell.sms as s where s.insurance_id = ${id}`
      const database = JSON.stringify([kept, messagesKept])
      for (const secret of [application.telefono, application.cedula]) assert.notInclude(database, secret)
      simulated.delete("production")
    })
  )
})
