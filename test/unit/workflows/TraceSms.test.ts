import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { DeliveryAnswer, SmsAnswer } from "../../../core/domain/Sms.ts"
import { Outbox } from "../../../core/ports/Outbox.ts"
import { resendCode } from "../../../core/workflows/InsuranceSteps.ts"
import { keepTracing } from "../../../core/workflows/TraceSms.ts"
import { begin, insuring, seller, stateOf } from "../support/InsuranceWorld.ts"

const { Delivered, Failed, Open } = DeliveryAnswer

/** A gateway that accepts every message, and gives these answers to delivery queries. It repeats the last answer. */
const tracing = (answers: ReadonlyArray<Effect.Effect<DeliveryAnswer>>) => {
  const asked: Array<number> = []
  const { layer } = insuring({
    gateway: {
      send: ({ id }) => Effect.succeed(SmsAnswer.Sent({ reference: `S-${id}`, traceable: true })),
      delivery: ({ id, reference }) =>
        Effect.flatMap(DateTime.now, (now) => {
          assert.strictEqual(reference, `S-${id}`)
          asked.push(DateTime.toEpochMillis(now) / 1000)
          return answers[Math.min(asked.length, answers.length) - 1] ?? Effect.never
        })
    }
  })
  return { asked, layer }
}

const undelivered = Effect.map(
  Outbox.use((outbox) => outbox.undelivered(10)),
  (all) => all.map(({ reason, status }) => [status, reason] as const)
)

const open = Effect.succeed(Open())
const until = [5, 15, 30, 60, 180, 300, 420, 540, 600]

describe("the delivery of an accepted message", () => {
  // the gateway's answers -> times of the queries (s), undelivered messages
  it.effect.each([
    ["is delivered immediately", [Effect.succeed(Delivered())], [5], []],
    ["is delivered later", [open, open, Effect.succeed(Delivered())], [5, 15, 30], []],
    ["fails", [open, Effect.succeed(Failed({ reason: "twilio_30003" }))], [5, 15], [["failed", "twilio_30003"]]],
    ["stays undecided", [open], until, []],
    ["cannot be queried", [Effect.die(new Error("reset"))], until, []]
  ] as const)("is queried until its result is known or the code expires, when it %s", ([, answers, times, listed]) => {
    const { asked, layer } = tracing(answers)
    return Effect.gen(function* () {
      const begun = yield* begin()
      yield* Effect.forkChild(keepTracing)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(asked, [...times])
      assert.deepStrictEqual(yield* undelivered, [...listed])
      assert.strictEqual(yield* stateOf(begun), "otp_enviado")
    }).pipe(Effect.provide(layer))
  })

  it.effect("is queried again when the gateway did not answer within 30 seconds", () => {
    const { asked, layer } = tracing([Effect.never, Effect.succeed(Failed({ reason: "late" }))])
    return Effect.gen(function* () {
      yield* begin()
      yield* Effect.forkChild(keepTracing)
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(asked, [5, 60])
      assert.deepStrictEqual(yield* undelivered, [["failed", "late"]])
    }).pipe(Effect.provide(layer))
  })

  it.effect("is never queried when the gateway does not report deliveries", () => {
    let asked = 0
    const { layer } = insuring({
      gateway: {
        delivery: () => {
          asked++
          return open
        }
      }
    })
    return Effect.gen(function* () {
      yield* begin()
      yield* Effect.forkChild(keepTracing)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(asked, 0)
    }).pipe(Effect.provide(layer))
  })

  // failed messages -> resends that are possible
  it.effect.each([
    [0, 5],
    [1, 6],
    [3, 8]
  ] as const)("allows one more resend for each of %d failed messages: %d", ([failures, resends]) => {
    const failed = Array.from({ length: failures }, () => Effect.succeed(Failed({ reason: "lost" })))
    const { layer } = tracing([...failed, Effect.succeed(Delivered())])
    return Effect.gen(function* () {
      const { id } = yield* begin()
      yield* Effect.forkChild(keepTracing)
      for (let resent = 0; resent < resends; resent++) {
        yield* TestClock.adjust("1 minute")
        yield* resendCode(seller, id)
      }
      yield* TestClock.adjust("1 minute")
      const refused = yield* Effect.flip(resendCode(seller, id))
      assert.strictEqual(refused._tag, "CodeBlocked")
    }).pipe(Effect.provide(layer))
  })
})
