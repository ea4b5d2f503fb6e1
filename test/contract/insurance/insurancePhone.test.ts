import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SmsAnswer } from "../../../core/domain/Sms.ts"
import { sendDue } from "../../../core/workflows/SendSms.ts"
import type { ApiResponse } from "../../support/ApiDocument.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import {
  applicationFor,
  type Headers,
  insuranceCompany,
  plateEnding,
  spanish
} from "../../support/service/InsuranceCalls.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { SpreadTestServer } from "../../support/service/TestServer.ts"
import { leavesRowsUnchanged } from "../../support/service/UnchangedRows.ts"

const production = insuranceCompany({ company: { environment: "production" } })

/** Runs a test in which production companies use the simulated insurer and the simulated SMS gateway. */
const inSimulatedProduction = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { simulated } = yield* Script
    simulated.add("production")
    return yield* Effect.ensuring(
      test,
      Effect.sync(() => simulated.delete("production"))
    )
  })

const { telefono: firstPhone } = applicationFor()

/** Starts an insurance for a new plate, with the default phone or the given phone. */
const begin = (auth: Headers, telefono = firstPhone) =>
  Effect.suspend(() => spanish.start(auth, { ...applicationFor(plateEnding()), telefono }))

const statusesOf = (answers: ReadonlyArray<ApiResponse>) => answers.map(({ status }) => status)

/** The parts of an error response that the tests compare. */
const refusalOf = ({ body: { error }, headers, status }: ApiResponse) => ({
  status,
  code: error?.code,
  details: error?.details,
  retryAfter: headers.get("retry-after")
})

const limited = (periodo: "hora" | "dia", limite: number, retry_after: number) => ({
  status: 422,
  code: "VALIDATION_ERROR",
  details: { telefono: "demasiados_mensajes", periodo, limite, retry_after },
  retryAfter: String(retry_after)
})

layer(SpreadTestServer, { excludeTestServices: true })("the SMS messages to a phone (contract 4.6 and 8)", (it) => {
  it.effect("are at most five in an hour, counted over all companies, insurances and resent codes", () =>
    inSimulatedProduction(
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const { telefono } = applicationFor()
        const [one, other] = [yield* production, yield* production]
        const first = yield* begin(one.auth, telefono)
        yield* pass("10 minutes")
        assert.deepStrictEqual(statusesOf([first, yield* begin(other.auth, telefono)]), [201, 201])
        const id = first.body.data.seguro_id
        for (const _ of [3, 4, 5]) assert.strictEqual((yield* spanish.resend(one.auth, id)).status, 200)
        yield* pass("20 minutes")
        const refused = limited("hora", 5, 30 * 60)
        for (const { auth } of [one, other])
          assert.deepStrictEqual(refusalOf(yield* leavesRowsUnchanged(begin(auth, telefono))), refused)
        assert.deepStrictEqual(refusalOf(yield* leavesRowsUnchanged(spanish.resend(one.auth, id))), refused)
        assert.strictEqual((yield* begin(one.auth)).status, 201)
        yield* pass("1799999 millis")
        assert.deepStrictEqual(refusalOf(yield* begin(other.auth, telefono)), limited("hora", 5, 1))
        yield* pass("1 millis")
        assert.strictEqual((yield* begin(other.auth, telefono)).status, 201)
        assert.deepStrictEqual(refusalOf(yield* begin(other.auth, telefono)), limited("hora", 5, 10 * 60))
      })
    )
  )

  it.effect("are at most ten in a day", () =>
    inSimulatedProduction(
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const { auth } = yield* production
        const { telefono } = applicationFor()
        for (const _ of [1, 2]) {
          const answers = yield* Effect.replicateEffect(begin(auth, telefono), 5)
          assert.deepStrictEqual(statusesOf(answers), [201, 201, 201, 201, 201])
          yield* pass("1 hour")
        }
        assert.deepStrictEqual(refusalOf(yield* begin(auth, telefono)), limited("dia", 10, 22 * 3_600))
        yield* pass("22 hours")
        assert.strictEqual((yield* begin(auth, telefono)).status, 201)
      })
    )
  )

  it.effect("are at most five, even when twelve insurances start concurrently", () =>
    inSimulatedProduction(
      Effect.gen(function* () {
        const { auth } = yield* production
        const { telefono } = applicationFor()
        const answers = yield* Effect.replicateEffect(begin(auth, telefono), 12, { concurrency: "unbounded" })
        assert.deepStrictEqual(statusesOf(answers).toSorted(), [...Array(5).fill(201), ...Array(7).fill(422)])
      })
    )
  )

  it.effect("count once, even when the gateway is busy and the message is retried", () =>
    inSimulatedProduction(
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const { sms } = yield* Script
        const { auth } = yield* production
        const { telefono } = applicationFor()
        let attempts = 0
        sms.set(telefono, () => {
          attempts++
          return Effect.succeed(SmsAnswer.NotSent({ reason: "busy" }))
        })
        yield* begin(auth, telefono)
        for (const _ of [1, 2, 3]) {
          yield* pass("2 minutes")
          yield* sendDue()
        }
        assert.strictEqual(attempts, 4)
        sms.delete(telefono)
        const answers = yield* Effect.replicateEffect(begin(auth, telefono), 5)
        assert.deepStrictEqual(statusesOf(answers), [201, 201, 201, 201, 422])
      })
    )
  )

  it.effect("are not limited for a test company, because the simulator sends none", () =>
    Effect.gen(function* () {
      const { auth } = yield* insuranceCompany()
      const { telefono } = applicationFor()
      const answers = yield* Effect.replicateEffect(begin(auth, telefono), 20)
      assert.deepStrictEqual([...new Set(statusesOf(answers))], [201])
    })
  )
})
