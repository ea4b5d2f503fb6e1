import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import { simulator } from "../../adapters/sms/Simulator.ts"
import { InsuranceUnavailable } from "../../core/domain/InsuranceErrors.ts"
import { Phone } from "../../core/domain/Person.ts"
import { SmsAnswer } from "../../core/domain/Sms.ts"
import { Insurances } from "../../core/ports/Insurances.ts"
import { Outbox } from "../../core/ports/Outbox.ts"
import { SmsGateways } from "../../core/ports/SmsGateway.ts"
import { resendCode } from "../../core/workflows/InsuranceSteps.ts"
import { newCode } from "../../core/workflows/SendCode.ts"
import { keepSending, sendDue } from "../../core/workflows/SendSms.ts"
import { startInsurance } from "../../core/workflows/StartInsurance.ts"
import { insurance } from "../../tools/world/Insured.ts"
import { application, begin, insuring, seller, stateOf } from "./support/Insuring.ts"

const { NotSent, Rejected, Sent, Unknown } = SmsAnswer

const always = (answer: SmsAnswer) => ({ send: () => Effect.succeed(answer) })

/** What did not arrive, as the operator sees it. */
const undelivered = Effect.map(
  Outbox.use((outbox) => outbox.undelivered(10)),
  (all) => all.map(({ reason, status }) => [status, reason] as const)
)

/** Staged by a process that died before it could send. */
const orphan = Effect.gen(function* () {
  const insurances = yield* Insurances
  const id = yield* insurances.nextId
  const beginning = { ...insurance, createdAt: yield* DateTime.now }
  return yield* insurances.create(id, beginning, yield* newCode(id, beginning))
})

const late = ["failed", "it came too late to be of use"] as const
const schedule = [0, 5, 15, 30, 60, 180, 300, 420, 540]

describe("a message", () => {
  // the gateway -> tried at (s), and in the end
  it.effect.each([
    ["cannot take it", { ...always(NotSent({ reason: "busy" })) }, schedule, late],
    ["says nothing firm", { ...always(Unknown({ reason: "?" })) }, schedule, late],
    ["breaks down", { send: () => Effect.die(new Error("reset")) }, schedule, late],
    ["refuses it", { ...always(Rejected({ reason: "no such phone" })) }, [0], ["failed", "no such phone"]],
    [
      "cannot take it, and may send twice",
      { idempotent: false, ...always(NotSent({ reason: "busy" })) },
      schedule,
      late
    ],
    [
      "says nothing firm, and may send twice",
      { idempotent: false, ...always(Unknown({ reason: "?" })) },
      [0],
      ["unknown", "?"]
    ],
    [
      "breaks down, and may send twice",
      { idempotent: false, send: () => Effect.die(new Error("reset")) },
      [0],
      ["unknown", "the gateway could not be asked"]
    ]
  ] as const)("whose gateway %s", ([, gateway, tried, end]) => {
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
  })

  it.effect.each([
    [true, [0, 60], []],
    [false, [0], [["unknown", "the gateway did not answer"]]]
  ] as const)(
    "whose gateway is silent for 30 seconds, and sends what it knows once: %s",
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
    [false, [], "iniciada", [["unknown", "whoever sent it did not say what came of it"]]]
  ] as const)(
    "whose process died is taken over after a minute, and sent if it goes once anyway: %s",
    ([idempotent, tried, state, lost]) => {
      const { layer, sent } = insuring({ gateway: { idempotent } })
      return Effect.gen(function* () {
        const begun = yield* orphan
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

  it.effect("for which there is no gateway now waits for one", () => {
    let there = false
    const { layer } = insuring()
    const gateways = Layer.succeed(SmsGateways, {
      serving: () => (there ? Effect.succeed(simulator) : Effect.fail(new InsuranceUnavailable()))
    })
    return Effect.gen(function* () {
      const begun = yield* orphan
      yield* Effect.forkChild(keepSending)
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(yield* stateOf(begun), "iniciada")
      there = true
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(yield* stateOf(begun), "otp_enviado")
    }).pipe(Effect.provide(Layer.provideMerge(gateways, layer)))
  })

  it.effect("is not sent once another code has taken its place", () => {
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

describe("messages that are sent together", () => {
  it.effect("are noted each for itself, though one cannot be", () => {
    const { layer, sent } = insuring({
      gateway: {
        send: ({ id }) => Effect.delay(Effect.succeed(Sent({ reference: id })), sent.length === 1 ? 0 : "5 seconds")
      }
    })
    let notes = 0
    const forgetful = Layer.effect(
      Outbox,
      Effect.map(Outbox, (outbox) => ({
        ...outbox,
        record: (...note) => (notes++ === 0 ? Effect.die(new Error("gone")) : outbox.record(...note))
      }))
    )
    return Effect.gen(function* () {
      const begun = [yield* orphan, yield* orphan, yield* orphan]
      yield* TestClock.adjust("1 minute")
      yield* Effect.forkChild(sendDue())
      yield* TestClock.adjust("10 seconds")
      const states = yield* Effect.forEach(begun, stateOf)
      assert.deepStrictEqual(states.toSorted(), ["iniciada", "otp_enviado", "otp_enviado"])
    }).pipe(Effect.provide(Layer.provideMerge(forgetful, layer)))
  })

  it.effect("are noted though whoever sends them is told to stop", () => {
    const { layer } = insuring({
      gateway: { send: ({ id }) => Effect.delay(Effect.succeed(Sent({ reference: id })), "5 seconds") }
    })
    return Effect.gen(function* () {
      const begun = yield* orphan
      yield* TestClock.adjust("1 minute")
      const sender = yield* Effect.forkChild(keepSending)
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(sender)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* stateOf(begun), "otp_enviado")
    }).pipe(Effect.provide(layer))
  })
})

describe("several senders at once", () => {
  it.effect("send each message once, however many there are", () => {
    const { layer, sent } = insuring({
      gateway: { send: ({ id }) => Effect.delay(Effect.succeed(Sent({ reference: id })), "100 millis") }
    })
    return Effect.gen(function* () {
      for (let count = 0; count < 50; count++) yield* orphan
      yield* TestClock.adjust("1 minute")
      const senders = yield* Effect.forkChild(
        Effect.all([sendDue(), sendDue(), sendDue()], { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(senders)
      assert.strictEqual(sent.length, 50)
      assert.strictEqual(new Set(sent.map(({ id }) => id)).size, 50)
    }).pipe(Effect.provide(layer))
  })

  it.effect("never send one message at the same time, however long each takes", () => {
    const sending = new Set<string>()
    const twice: Array<string> = []
    const { layer, sent } = insuring({
      gateway: {
        send: ({ id }) =>
          Effect.sync(() => {
            if (sending.has(id)) twice.push(id)
            sending.add(id)
          }).pipe(Effect.andThen(Effect.delay(Effect.succeed(Sent({ reference: id })), "29 seconds")))
      }
    })
    return Effect.gen(function* () {
      for (let count = 0; count < 20; count++) yield* orphan
      yield* TestClock.adjust("1 minute")
      yield* Effect.forkChild(keepSending)
      yield* Effect.forkChild(keepSending)
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(twice, [])
      assert.strictEqual(sent.length, 20)
      assert.deepStrictEqual(yield* undelivered, [])
    }).pipe(Effect.provide(layer))
  })

  it.effect("go on after a round that failed", () => {
    const { layer, sent } = insuring()
    let broken = true
    const outbox = Layer.effect(
      Outbox,
      Effect.map(Outbox, (real) =>
        Outbox.of({ ...real, claim: (claim) => (broken ? Effect.die(new Error("no database")) : real.claim(claim)) })
      )
    )
    return Effect.gen(function* () {
      yield* orphan
      yield* Effect.forkChild(keepSending)
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(sent, [])
      broken = false
      yield* TestClock.adjust("1 second")
      assert.strictEqual(sent.length, 1)
    }).pipe(Effect.provide(Layer.provideMerge(outbox, layer)))
  })
})

describe("a message in the simulator", () => {
  it.effect("is taken, and neither its phone nor its text is logged", () => {
    const lines: Array<string> = []
    const message = { id: "m1", to: Phone.make("8095551234"), text: "654321 es su clave" }
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* simulator.send(message), Sent({ reference: "SBX-m1" }))
      const logged = lines.join("\n")
      assert.include(logged, "m1")
      assert.notInclude(logged, "8095551234")
      assert.notInclude(logged, "654321")
    }).pipe(
      Effect.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])),
      Effect.provideService(References.MinimumLogLevel, "All")
    )
  })
})
