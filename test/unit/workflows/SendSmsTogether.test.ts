import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import { simulatedSmsGateway } from "../../../adapters/sms/SimulatedSms.ts"
import { Phone } from "../../../core/domain/Person.ts"
import { SmsAnswer } from "../../../core/domain/Sms.ts"
import { Outbox } from "../../../core/ports/Outbox.ts"
import { keepSending, sendDue } from "../../../core/workflows/SendSms.ts"
import { insuring, stateOf, undelivered, unsentMessage } from "../support/InsuranceWorld.ts"

const { Sent } = SmsAnswer

describe("messages sent in parallel", () => {
  it.effect("are recorded separately, so a failure to record one message does not affect the others", () => {
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
      const begun = [yield* unsentMessage, yield* unsentMessage, yield* unsentMessage]
      yield* TestClock.adjust("1 minute")
      yield* Effect.forkChild(sendDue())
      yield* TestClock.adjust("10 seconds")
      const states = yield* Effect.forEach(begun, stateOf)
      assert.deepStrictEqual(states.toSorted(), ["iniciada", "otp_enviado", "otp_enviado"])
    }).pipe(Effect.provide(Layer.provideMerge(forgetful, layer)))
  })

  it.effect("are recorded even if the process is stopping", () => {
    const { layer } = insuring({
      gateway: { send: ({ id }) => Effect.delay(Effect.succeed(Sent({ reference: id })), "5 seconds") }
    })
    return Effect.gen(function* () {
      const begun = yield* unsentMessage
      yield* TestClock.adjust("1 minute")
      const sender = yield* Effect.forkChild(keepSending)
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(sender)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* stateOf(begun), "otp_enviado")
    }).pipe(Effect.provide(layer))
  })
})

describe("several senders at the same time", () => {
  it.effect("send each message once", () => {
    const { layer, sent } = insuring({
      gateway: { send: ({ id }) => Effect.delay(Effect.succeed(Sent({ reference: id })), "100 millis") }
    })
    return Effect.gen(function* () {
      for (let count = 0; count < 50; count++) yield* unsentMessage
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

  it.effect("never send the same message at the same time, however slow they are", () => {
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
      for (let count = 0; count < 20; count++) yield* unsentMessage
      yield* TestClock.adjust("1 minute")
      yield* Effect.forkChild(keepSending)
      yield* Effect.forkChild(keepSending)
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(twice, [])
      assert.strictEqual(sent.length, 20)
      assert.deepStrictEqual(yield* undelivered, [])
    }).pipe(Effect.provide(layer))
  })

  it.effect("continue after a failed round", () => {
    const { layer, sent } = insuring()
    let broken = true
    const outbox = Layer.effect(
      Outbox,
      Effect.map(Outbox, (real) =>
        Outbox.of({ ...real, claim: (claim) => (broken ? Effect.die(new Error("no database")) : real.claim(claim)) })
      )
    )
    return Effect.gen(function* () {
      yield* unsentMessage
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
  it.effect("is accepted, and the log contains neither phone nor text", () => {
    const lines: Array<string> = []
    const message = { id: "m1", to: Phone.make("8095551234"), text: "654321 es su clave" }
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* simulatedSmsGateway.send(message), Sent({ reference: "SBX-m1" }))
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
