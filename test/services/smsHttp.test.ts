import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as HttpSms from "../../adapters/sms/HttpSms.ts"
import { Phone } from "../../core/domain/Person.ts"
import { DeliveryAnswer, SmsAnswer } from "../../core/domain/Sms.ts"
import { fakeHttpSms } from "../fakes/Sms.ts"
import { gatewayAt, isSilent, Outside, secret, unknownHost, unusedAddress, withLogLines } from "./support/Gateways.ts"

const id = "0199c1f5-7a3e-7c51-9d0a-4f1f0c1b2a3d"
const message = { id, to: Phone.make("8095551234"), text: "Su código es 123456." }

const start = Effect.gen(function* () {
  const gateway = yield* fakeHttpSms(secret)
  return { gateway, sms: yield* HttpSms.make(gatewayAt(gateway.url)) }
})

const { NotSent, Rejected, Sent } = SmsAnswer
const sent = Sent({ reference: `SMS-${id}`, traceable: false })

layer(Outside)("an SMS through an HTTP gateway", (it) => {
  it.effect("is sent once per id to the number in international format", () =>
    Effect.gen(function* () {
      const { gateway, sms } = yield* start
      assert.isTrue(sms.idempotent)
      const answers = yield* Effect.replicateEffect(sms.send(message), 3, { concurrency: 3 })
      assert.deepStrictEqual(answers, [sent, sent, sent])
      assert.deepStrictEqual(gateway.sent, [{ id, to: "+18095551234", text: "Su código es 123456." }])
    })
  )

  it.effect("is not sent when the gateway rejects it", () =>
    Effect.gen(function* () {
      const { gateway, sms } = yield* start
      gateway.rejections.set(id, "invalid_number")
      assert.deepStrictEqual(yield* sms.send(message), Rejected({ reason: "invalid_number" }))
      assert.isEmpty(gateway.sent)
    })
  )

  // Fault, result, and number of messages sent before the retry. After the retry, exactly one message has been sent.
  it.effect.each([
    ["cut before", "Unknown", 0],
    ["cut after", "Unknown", 1],
    ["cut midway", "Unknown", 1],
    ["broken before", "Unknown", 0],
    ["broken after", "Unknown", 1],
    ["garbage", "Unknown", 1],
    ["contradiction", "Unknown", 1],
    ["duplicate", "Sent", 1]
  ] as const)("under the fault %s is sent exactly once after a retry", ([misbehaviour, tag, times]) =>
    Effect.gen(function* () {
      const { gateway, sms } = yield* start
      gateway.misbehaviours.plan(id, misbehaviour)
      assert.strictEqual((yield* sms.send(message))._tag, tag)
      assert.lengthOf(gateway.sent, times)
      assert.deepStrictEqual(yield* sms.send(message), sent)
      assert.lengthOf(gateway.sent, 1)
    })
  )

  it.effect.each(["silent before", "silent after", "trickle"] as const)(
    "under the fault %s waits until its caller stops waiting",
    (misbehaviour) =>
      Effect.gen(function* () {
        const { gateway, sms } = yield* start
        gateway.misbehaviours.plan(id, misbehaviour)
        assert.isTrue(yield* isSilent(sms.send(message), gateway.arrivals.reach(1)))
      })
  )

  it.effect.each([
    [
      "429, not processed",
      { status: 429, body: { outcome: "not_processed", reason: "too_many" } },
      "NotSent",
      "too_many"
    ],
    ["401, not processed", { status: 401, body: { outcome: "not_processed" } }, "NotSent", "it was not processed"],
    ["429 without an outcome", { status: 429, body: {} }, "Unknown", "the answer cannot be read"],
    [
      "503, not processed",
      { status: 503, body: { outcome: "not_processed" } },
      "Unknown",
      "the gateway did not answer"
    ],
    [
      "another message",
      { status: 200, body: { outcome: "sent", id: "x", reference: "r" } },
      "Unknown",
      "the answer contradicts the request"
    ],
    [
      "the rejection of another message",
      { status: 200, body: { outcome: "rejected", id: "x", reason: "r" } },
      "Unknown",
      "the answer contradicts the request"
    ],
    [
      "a reason with the number in it",
      { status: 200, body: { outcome: "rejected", id, reason: "+1809 no" } },
      "Unknown",
      "the answer cannot be read"
    ],
    ["no reference", { status: 200, body: { outcome: "sent", id } }, "Unknown", "the answer cannot be read"]
  ] as const)("has the result that follows from the response: %s", ([, reply, tag, reason]) =>
    Effect.gen(function* () {
      const { gateway, sms } = yield* start
      gateway.replyNext(id, reply)
      const { answer, lines } = yield* withLogLines(sms.send(message))
      assert.deepStrictEqual(answer, { _tag: tag, reason })
      assert.lengthOf(lines, 1)
      assert.notInclude(JSON.stringify(lines), "5551234")
      assert.notInclude(JSON.stringify(lines), "123456")
    })
  )

  it.effect.each([unusedAddress, unknownHost])("is not sent when the gateway cannot be reached at %s", (url) =>
    Effect.gen(function* () {
      const sms = yield* HttpSms.make(gatewayAt(url))
      assert.deepStrictEqual(yield* sms.send(message), NotSent({ reason: "the gateway could not be reached" }))
    })
  )

  const { Delivered, Failed, Open } = DeliveryAnswer

  it.effect.each([
    ["delivered", Delivered()],
    ["unreachable_handset", Failed({ reason: "unreachable_handset" })]
  ] as const)("has a delivery that can be queried if the gateway offers it: %s", ([state, delivery]) =>
    Effect.gen(function* () {
      const { gateway, sms } = yield* start
      gateway.deliveries.set(id, state)
      const answer = yield* sms.send(message)
      assert.deepStrictEqual(answer, Sent({ reference: `SMS-${id}`, traceable: true }))
      assert.deepStrictEqual(yield* sms.delivery({ id, reference: `SMS-${id}` }), delivery)
    })
  )

  it.effect.each([
    ["not decided", { status: 200, body: { outcome: "pending", id } }],
    ["another message", { status: 200, body: { outcome: "delivered", id: "x" } }],
    ["a reason with the number in it", { status: 200, body: { outcome: "failed", id, reason: "+1809 no" } }],
    ["not processed", { status: 429, body: { outcome: "not_processed" } }],
    ["404, from a gateway without this request", { status: 404, body: {} }],
    ["503", { status: 503, body: {} }]
  ] as const)("has an undecided delivery after the response: %s", ([, reply]) =>
    Effect.gen(function* () {
      const { gateway, sms } = yield* start
      gateway.replyNext(id, reply)
      assert.deepStrictEqual(yield* sms.delivery({ id, reference: "r" }), Open())
    })
  )
})
