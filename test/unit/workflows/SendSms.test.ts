import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { simulatedSmsGateway } from "../../../adapters/sms/SimulatedSms.ts"
import { InsuranceUnavailable } from "../../../core/domain/InsuranceErrors.ts"
import { SmsAnswer } from "../../../core/domain/Sms.ts"
import { SmsGateways } from "../../../core/ports/SmsGateway.ts"
import { resendCode, startInsurance } from "../../../core/workflows/InsuranceSteps.ts"
import { keepSending } from "../../../core/workflows/SendSms.ts"
import { application, begin, insuring, seller, stateOf, undelivered, unsentMessage } from "../support/InsuranceWorld.ts"

const { NotSent, Rejected, Sent, Unknown } = SmsAnswer

const always = (answer: SmsAnswer) => ({ send: () => Effect.succeed(answer) })

const late = ["failed", "the message expired before it was sent"] as const
const schedule = [0, 5, 15, 30, 60, 180, 300, 420, 540]

describe("a message", () => {
  // the gateway's answers -> times of the attempts (s), final result
  it.effect.each([
    ["cannot accept messages", { ...always(NotSent({ reason: "busy" })) }, schedule, late],
    ["gives no firm answer", { ...always(Unknown({ reason: "?" })) }, schedule, late],
    ["fails", { send: () => Effect.die(new Error("reset")) }, schedule, late],
    ["refuses the message", { ...always(Rejected({ reason: "no such phone" })) }, [0], ["failed", "no such phone"]],
    [
      "cannot accept messages and may send a message twice",
      { idempotent: false, ...always(NotSent({ reason: "busy" })) },
      schedule,
      late
    ],
    [
      "gives no firm answer and may send a message twice",
      { idempotent: false, ...always(Unknown({ reason: "?" })) },
      [0],
      ["unknown", "?"]
    ],
    [
      "fails and may send a message twice",
      { idempotent: false, send: () => Effect.die(new Error("reset")) },
      [0],
      ["unknown", "the gateway did not answer"]
    ]
  ] as const)(
    "is retried unless a retry could send it twice or the result is final, when the gateway %s",
    ([, gateway, tried, end]) => {
      const { layer, sent } = insuring({ gateway })
      return Effect.gen(function* () {
        const { codeSent, insurance: begun } = yield* startInsurance(seller, application())
        yield* Effect.forkChild(keepSending)
        yield* TestClock.adjust("1 hour")
        assert.deepStrictEqual(
          sent.map(({ at_s }) => at_s),
          [...tried]
        )
        assert.strictEqual(new Set(sent.map(({ id }) => id)).size, 1)
        assert.deepStrictEqual(yield* undelivered, [end])
        assert.isFalse(codeSent)
        assert.strictEqual(yield* stateOf(begun), "iniciada")
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect.each([
    [true, [0, 60], []],
    [false, [0], [["unknown", "the gateway did not answer"]]]
  ] as const)(
    "is retried, after 30 seconds without an answer, only if the gateway is idempotent: %s",
    ([idempotent, tried, lost]) => {
      const answers = [Effect.never, Effect.succeed(Sent({ reference: "1" }))]
      const { layer, sent } = insuring({ gateway: { idempotent, send: () => answers.shift() ?? Effect.never } })
      return Effect.gen(function* () {
        const begun = yield* Effect.forkChild(startInsurance(seller, application()))
        yield* TestClock.adjust("29999 millis")
        assert.isUndefined(begun.pollUnsafe())
        yield* TestClock.adjust("1 millis")
        assert.isFalse((yield* Fiber.join(begun)).codeSent)
        yield* Effect.forkChild(keepSending)
        yield* TestClock.adjust("2 minutes")
        assert.deepStrictEqual(
          sent.map(({ at_s }) => at_s),
          [...tried]
        )
        assert.deepStrictEqual(yield* undelivered, [...lost])
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect.each([
    [true, [60], "otp_enviado", []],
    [false, [], "iniciada", [["unknown", "an earlier sender recorded no result"]]]
  ] as const)(
    "is taken over one minute after its process died, and sent only if the gateway is idempotent: %s",
    ([idempotent, tried, state, lost]) => {
      const { layer, sent } = insuring({ gateway: { idempotent } })
      return Effect.gen(function* () {
        const begun = yield* unsentMessage
        yield* Effect.forkChild(keepSending)
        yield* TestClock.adjust("10 minutes")
        assert.deepStrictEqual(
          sent.map(({ at_s }) => at_s),
          [...tried]
        )
        assert.strictEqual(yield* stateOf(begun), state)
        assert.deepStrictEqual(yield* undelivered, [...lost])
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("waits while no gateway is configured", () => {
    let there = false
    const { layer } = insuring()
    const gateways = Layer.succeed(SmsGateways, {
      serving: () => (there ? Effect.succeed(simulatedSmsGateway) : Effect.fail(new InsuranceUnavailable()))
    })
    return Effect.gen(function* () {
      const begun = yield* unsentMessage
      yield* Effect.forkChild(keepSending)
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(yield* stateOf(begun), "iniciada")
      there = true
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(yield* stateOf(begun), "otp_enviado")
    }).pipe(Effect.provide(Layer.provideMerge(gateways, layer)))
  })

  it.effect("is not sent after a message with a newer code has replaced it", () => {
    const answers = [NotSent({ reason: "busy" })]
    const { layer, sent } = insuring({
      gateway: { send: ({ id }) => Effect.sync(() => answers.shift() ?? Sent({ reference: id })) }
    })
    return Effect.gen(function* () {
      const { id } = yield* begin()
      yield* TestClock.adjust("1 second")
      assert.isTrue(yield* resendCode(seller, id))
      yield* Effect.forkChild(keepSending)
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(
        sent.map(({ at_s }) => at_s),
        [0, 1]
      )
      assert.strictEqual(new Set(sent.map((message) => message.id)).size, 2)
    }).pipe(Effect.provide(layer))
  })
})
