import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as TwilioSms from "../../adapters/sms/TwilioSms.ts"
import { Phone } from "../../core/domain/Person.ts"
import { DeliveryAnswer, SmsAnswer } from "../../core/domain/Sms.ts"
import { accountSid, authToken, fakeTwilio } from "../fakes/Sms.ts"
import { isSilent, Outside, unknownHost, unusedAddress, withLogLines } from "./support/Gateways.ts"

const message = { id: "m1", to: Phone.make("8095551234"), text: "Su código es 123456. ¡No lo comparta! & +1" }
const number = "+18095551234"

const account = {
  accountSid,
  authToken: Redacted.make(authToken),
  sender: { From: "+18095550100" }
}

const start = Effect.gen(function* () {
  const twilio = yield* fakeTwilio
  return { twilio, sms: yield* TwilioSms.make({ ...account, baseUrl: twilio.url }) }
})

const { NotSent, Rejected, Sent, Unknown } = SmsAnswer

layer(Outside)("an SMS through Twilio", (it) => {
  it.effect.each([
    ["a number", { From: "+18095550100" }],
    ["a messaging service", { MessagingServiceSid: "MG00112233445566778899aabbccddeeff" }]
  ] as const)("is sent from %s with its text unchanged", ([, sender]) =>
    Effect.gen(function* () {
      const { twilio } = yield* start
      const sms = yield* TwilioSms.make({ ...account, sender, baseUrl: `${twilio.url}/` })
      assert.deepStrictEqual(
        yield* sms.send(message),
        Sent({ reference: `SM${"1".padStart(32, "0")}`, traceable: true })
      )
      assert.deepStrictEqual(twilio.sent, [{ To: number, Body: message.text, ...sender }])
    })
  )

  it.effect("is sent twice by two requests, so the adapter declares itself not idempotent", () =>
    Effect.gen(function* () {
      const { sms, twilio } = yield* start
      assert.isFalse(sms.idempotent)
      yield* Effect.replicateEffect(sms.send(message), 2)
      assert.lengthOf(twilio.sent, 2)
    })
  )

  const problem = (code: number, status: number) => ({ code, message: `The 'To' number ${number} is wrong`, status })

  it.effect.each([
    [201, { sid: "SM1", status: "queued" }, Sent({ reference: "SM1", traceable: true })],
    [201, { sid: "SM1", status: "accepted", error_code: null }, Sent({ reference: "SM1", traceable: true })],
    [201, { sid: "SM\u200b1", status: "queued" }, Sent({ reference: "SM1", traceable: true })],
    [201, { sid: "SM\u00001", status: "queued" }, Unknown({ reason: "twilio_unreadable" })],
    [201, { sid: "SM1", status: "failed" }, Rejected({ reason: "twilio_failed" })],
    [201, { sid: "SM1", status: "failed", error_code: 30034 }, Rejected({ reason: "twilio_30034" })],
    [201, { status: "queued" }, Unknown({ reason: "twilio_unreadable" })],
    [201, "<html>", Unknown({ reason: "twilio_unreadable" })],
    [200, { sid: "SM1", status: "queued" }, Unknown({ reason: "twilio_200" })],
    [400, problem(21211, 400), Rejected({ reason: "twilio_21211" })],
    [400, problem(21610, 400), Rejected({ reason: "twilio_21610" })],
    [401, problem(20003, 401), NotSent({ reason: "twilio_20003" })],
    [400, problem(21408, 400), Rejected({ reason: "twilio_21408" })],
    [403, problem(20005, 403), NotSent({ reason: "twilio_20005" })],
    [404, problem(20404, 404), Rejected({ reason: "twilio_20404" })],
    [400, {}, Unknown({ reason: "twilio_400" })],
    [401, "<html>", Unknown({ reason: "twilio_401" })],
    [404, "<html>", Unknown({ reason: "twilio_404" })],
    [429, problem(20429, 429), NotSent({ reason: "twilio_429" })],
    [429, "<html>", NotSent({ reason: "twilio_429" })],
    [307, {}, Unknown({ reason: "twilio_307" })],
    [500, problem(20500, 500), Unknown({ reason: "twilio_500" })],
    [503, problem(20503, 503), Unknown({ reason: "twilio_503" })]
  ] as const)("has the result that follows from the response %d %j", ([status, body, answer]) =>
    Effect.gen(function* () {
      const { sms, twilio } = yield* start
      twilio.answers.set(number, { status, body })
      assert.deepStrictEqual(yield* sms.send(message), answer)
    })
  )

  it.effect("with wrong credentials can be sent later, and logs an error", () =>
    Effect.gen(function* () {
      const { twilio } = yield* start
      const sms = yield* TwilioSms.make({ ...account, authToken: Redacted.make("otro"), baseUrl: twilio.url })
      const { answer, lines } = yield* withLogLines(sms.send(message))
      assert.deepStrictEqual(answer, NotSent({ reason: "twilio_20003" }))
      assert.deepStrictEqual(
        lines.map(({ level, message }) => [level, message]),
        [["Error", ["Twilio rejected our credentials", { id: "m1", status: 401 }]]]
      )
      assert.isEmpty(twilio.sent)
    })
  )

  it.effect.each([
    ["cut before", "twilio_lost", 0],
    ["cut after", "twilio_lost", 1],
    ["cut midway", "twilio_lost", 1],
    ["broken before", "twilio_500", 0],
    ["broken after", "twilio_500", 1],
    ["garbage", "twilio_unreadable", 1]
  ] as const)("under the fault %s counts as possibly sent: %s", ([misbehaviour, reason, times]) =>
    Effect.gen(function* () {
      const { sms, twilio } = yield* start
      twilio.misbehaviours.plan(number, misbehaviour)
      const { answer, lines } = yield* withLogLines(sms.send(message))
      assert.deepStrictEqual(answer, Unknown({ reason }))
      assert.lengthOf(twilio.sent, times)
      for (const hidden of ["5551234", "123456", authToken]) assert.notInclude(JSON.stringify(lines), hidden)
    })
  )

  it.effect.each(["silent before", "silent after", "trickle"] as const)(
    "under the fault %s waits until its caller stops waiting",
    (misbehaviour) =>
      Effect.gen(function* () {
        const { sms, twilio } = yield* start
        twilio.misbehaviours.plan(number, misbehaviour)
        assert.isTrue(yield* isSilent(sms.send(message), twilio.arrivals.reach(1)))
      })
  )

  it.effect.each([unusedAddress, unknownHost])("is not sent when Twilio cannot be reached at %s", (baseUrl) =>
    Effect.gen(function* () {
      const sms = yield* TwilioSms.make({ ...account, baseUrl })
      assert.deepStrictEqual(yield* sms.send(message), NotSent({ reason: "twilio_not_reached" }))
    })
  )

  const asked = { id: "m1", reference: "SM1" }
  const { Delivered, Failed, Open } = DeliveryAnswer

  it.effect.each([
    [200, { sid: "SM1", status: "delivered", error_code: null }, Delivered()],
    [200, { sid: "SM1", status: "read" }, Delivered()],
    [200, { sid: "SM1", status: "undelivered", error_code: 30003 }, Failed({ reason: "twilio_30003" })],
    [200, { sid: "SM1", status: "failed", error_code: 30034 }, Failed({ reason: "twilio_30034" })],
    [200, { sid: "SM1", status: "failed", error_code: null }, Failed({ reason: "twilio_failed" })],
    [200, { sid: "SM1", status: "failed", error_code: "30003" }, Failed({ reason: "twilio_failed" })],
    [200, { sid: "SM1", status: "canceled" }, Failed({ reason: "twilio_canceled" })],
    [200, { sid: "SM1", status: "queued" }, Open()],
    [200, { sid: "SM1", status: "sent" }, Open()],
    [200, { sid: "SM1", status: "a status of the future" }, Open()],
    [200, { sid: "SM2", status: "delivered" }, Open()],
    [200, "<html>", Open()],
    [401, problem(20003, 401), Open()],
    [404, problem(20404, 404), Open()],
    [429, problem(20429, 429), Open()],
    [500, { sid: "SM1", status: "delivered" }, Open()]
  ] as const)("has the delivery that follows from the response %d %j", ([status, body, delivery]) =>
    Effect.gen(function* () {
      const { sms, twilio } = yield* start
      twilio.answers.set("SM1", { status, body })
      assert.deepStrictEqual(yield* sms.delivery(asked), delivery)
    })
  )

  it.effect("has an undecided delivery when Twilio cannot be reached or breaks the connection", () =>
    Effect.gen(function* () {
      const { sms, twilio } = yield* start
      twilio.misbehaviours.plan("SM1", "cut before")
      assert.deepStrictEqual(yield* sms.delivery(asked), Open())
      const unreachable = yield* TwilioSms.make({ ...account, baseUrl: unusedAddress })
      assert.deepStrictEqual(yield* unreachable.delivery(asked), Open())
    })
  )
})
