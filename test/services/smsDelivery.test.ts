import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Outbox } from "../../core/ports/Outbox.ts"
import { traceDue } from "../../core/workflows/TraceSms.ts"
import { accountSid, authToken, fakeTwilio } from "../fakes/Sms.ts"
import { ManualClock } from "../support/InProcessService.ts"
import { expectSuccess, insuranceCompany, spanish } from "../support/service/InsuranceCalls.ts"
import { insurable, production } from "./support/Production.ts"

class FakeTwilio extends Context.Service<FakeTwilio, Effect.Success<typeof fakeTwilio>>()("test/FakeTwilio") {
  static readonly layer = Layer.effect(FakeTwilio, fakeTwilio)
}

const withTwilio = Layer.unwrap(
  FakeTwilio.useSync(({ url }) =>
    production("http", {
      SMS: "twilio",
      TWILIO_BASE_URL: url,
      TWILIO_ACCOUNT_SID: accountSid,
      TWILIO_AUTH_TOKEN: authToken,
      TWILIO_FROM: "+18095550100"
    })
  )
).pipe(Layer.provideMerge(FakeTwilio.layer))

/** An insurance in production, whose first message Twilio has accepted. */
const begun = Effect.gen(function* () {
  const { auth } = yield* insuranceCompany({ company: { environment: "production" } })
  const application = yield* insurable
  const { data } = expectSuccess(yield* spanish.start(auth, application)).body
  assert.isTrue(data.otp_enviado)
  return { auth, id: data.seguro_id as number, to: `+1${application.telefono}` }
})

/** Status and reason of the undelivered messages of an insurance. */
const undeliveredOf = (id: number) =>
  Outbox.use((outbox) =>
    Effect.map(outbox.undelivered(100), (all) =>
      all.flatMap(({ insuranceId, reason, status }) => (insuranceId === id ? [[status, reason]] : []))
    )
  )

layer(withTwilio, { excludeTestServices: true })("a message that Twilio accepts", (it) => {
  it.effect.each([
    ["undelivered", 30_003],
    ["failed", 30_034]
  ] as const)(
    "and later reports as %s with error %d is listed as undelivered, and does not count as a sent message",
    ([status, code]) =>
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const { deliveries } = yield* FakeTwilio
        const { auth, id, to } = yield* begun
        yield* traceDue()
        assert.isEmpty(yield* undeliveredOf(id))
        deliveries.set(to, { status, error_code: code })
        yield* pass("5 seconds")
        yield* traceDue()
        assert.deepStrictEqual(yield* undeliveredOf(id), [["failed", `twilio_${code}`]])
        assert.strictEqual((yield* spanish.read(auth, id)).body.data.estado, "otp_enviado")
        deliveries.set(to, { status: "delivered" })
        const resend = Effect.map(spanish.resend(auth, id), ({ body, status }) => [status, body.error?.code])
        // A phone gets at most five messages in an hour.
        for (const _ of [1, 2, 3, 4]) assert.deepStrictEqual(yield* resend, [200, undefined])
        yield* pass("1 hour")
        for (const _ of [5, 6]) assert.deepStrictEqual(yield* resend, [200, undefined])
        assert.deepStrictEqual(yield* resend, [409, "OTP_BLOQUEADO"])
      })
  )

  it.effect("is queried until it is delivered, and not afterwards", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { deliveries, questions, sent } = yield* FakeTwilio
      const { id, to } = yield* begun
      const sid = `SM${String(sent.findIndex((message) => message.To === to) + 1).padStart(32, "0")}`
      for (const seconds of [5, 10]) {
        yield* pass(`${seconds} seconds`)
        yield* traceDue()
      }
      assert.strictEqual(questions.get(sid), 2)
      deliveries.set(to, { status: "delivered" })
      for (const _ of [1, 2, 3]) {
        yield* pass("2 minutes")
        yield* traceDue()
      }
      assert.strictEqual(questions.get(sid), 3)
      assert.isEmpty(yield* undeliveredOf(id))
    })
  )
})
