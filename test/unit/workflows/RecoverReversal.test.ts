import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ReversalAnswer } from "../../../core/domain/Reversal.ts"
import { keepRecovering, recover } from "../../../core/workflows/Recover.ts"
import { fund, money, unsentSale as orphanedSale, sales, settlingFails, tally } from "../../support/InMemoryWorld.ts"
import { type ReversalFault, reverseSale, reversing, sold, unsentReversal } from "../support/ReversalWorld.ts"

const { Confirmed, Denied, NotFound, NotSent, Unknown } = ReversalAnswer

const charged = { available: 90_000, held: 0, consumed: 10_000 }
const givenBack = { available: 100_000, held: 0, consumed: 0 }

describe("an unresolved reversal", () => {
  it.effect("is looked up at 5, 15, 30 and 60 seconds and then every 5 minutes, if it is pending", () => {
    const { askedAt_s, layer, sent } = reversing({ told: Effect.succeed(Unknown()) })
    return Effect.gen(function* () {
      yield* fund()
      yield* reverseSale(yield* sold())
      yield* Effect.forkChild(keepRecovering)
      yield* TestClock.adjust("1000 seconds")
      assert.deepStrictEqual(askedAt_s, [5, 15, 30, 60, 360, 660, 960])
      assert.deepStrictEqual(yield* money, charged)
      assert.lengthOf(sent, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is looked up one minute after its start and never sent, if its process died", () => {
    const { askedAt_s, layer, sent } = reversing()
    return Effect.gen(function* () {
      yield* fund()
      yield* unsentReversal(yield* sold())
      yield* Effect.forkChild(keepRecovering)
      yield* TestClock.adjust("700 seconds")
      assert.deepStrictEqual(askedAt_s, [60, 360, 660])
      assert.deepStrictEqual(sent, [])
    }).pipe(Effect.provide(layer))
  })

  it.effect("does not wait for sales whose provider does not answer", () => {
    const { askedAt_s, layer } = reversing({ status: Effect.never })
    return Effect.gen(function* () {
      yield* fund(10_000_000)
      yield* unsentReversal(yield* sold())
      for (let count = 0; count < 200; count++) yield* orphanedSale(`unknown-${count}`)
      yield* Effect.forkChild(keepRecovering)
      yield* TestClock.adjust("70 seconds")
      assert.deepStrictEqual(askedAt_s, [60])
    }).pipe(Effect.provide(layer))
  })

  // the provider's answer -> status of the sale, the money, the counts of recovery
  it.effect.each([
    ["has reversed the sale", Effect.succeed(Confirmed()), "REVERSED", givenBack, "reversed"],
    ["refused the reversal", Effect.succeed(Denied()), "SUCCESS", charged, "reversalsDenied"],
    ["does not know the result", Effect.succeed(Unknown()), "SUCCESS", charged, "stillUnknown"],
    ["has not received the reversal yet", Effect.succeed(NotFound()), "SUCCESS", charged, "stillUnknown"],
    ["cannot be reached", Effect.succeed(NotSent()), "SUCCESS", charged, "notAsked"],
    ["fails", Effect.die(new Error("reset")), "SUCCESS", charged, "stillUnknown"]
  ] as const)("ends as the provider's answer says when the provider %s", ([, asked, status, left, counted]) => {
    const { layer } = reversing({ asked })
    return Effect.gen(function* () {
      yield* fund()
      yield* unsentReversal(yield* sold())
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* recover("due"), tally({ [counted]: 1 }))
      assert.deepStrictEqual(yield* sales, [["RD-k1", status]])
      assert.deepStrictEqual(yield* money, left)
    }).pipe(Effect.provide(layer))
  })

  it.effect("stays unresolved when the provider does not answer for 30 seconds", () => {
    const { layer } = reversing({ asked: Effect.never })
    return Effect.gen(function* () {
      yield* fund()
      yield* unsentReversal(yield* sold())
      yield* TestClock.adjust("1 minute")
      const cycle = yield* Effect.forkChild(recover("due"))
      yield* TestClock.adjust("29999 millis")
      assert.isUndefined(cycle.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(cycle), tally({ stillUnknown: 1 }))
    }).pipe(Effect.provide(layer))
  })
})

describe("the key of a recovered reversal", () => {
  it.effect("keeps replaying its 202, and any other key is refused because the sale is already reversed", () => {
    const { layer } = reversing({ told: Effect.succeed(Unknown()), asked: Effect.succeed(Confirmed()) })
    return Effect.gen(function* () {
      yield* fund()
      const id = yield* sold()
      const first = yield* reverseSale(id)
      assert.strictEqual((yield* Effect.flip(reverseSale(id, "r2")))._tag, "RequestInProgress")
      yield* TestClock.adjust("5 seconds")
      yield* recover("due")
      assert.deepStrictEqual(yield* reverseSale(id), { outcome: first.outcome, replayed: true })
      assert.strictEqual((yield* Effect.flip(reverseSale(id, "r2")))._tag, "NotReversible")
      assert.deepStrictEqual(yield* money, givenBack)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is in progress until recovery settles the reversal, then replays the response of the first call", () => {
    const { layer } = reversing({ asked: Effect.succeed(Confirmed()) }, killedOnce())
    return Effect.gen(function* () {
      yield* fund()
      const id = yield* sold()
      yield* Effect.exit(reverseSale(id))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Effect.flip(reverseSale(id)))._tag, "RequestInProgress")
      yield* recover("due")
      const replayed = yield* reverseSale(id)
      assert.deepStrictEqual([replayed.outcome._tag, replayed.replayed], ["Reversed", true])
      assert.deepStrictEqual(yield* money, givenBack)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is a conflict after 15 minutes without recovery", () => {
    const { layer } = reversing({}, killedOnce())
    return Effect.gen(function* () {
      yield* fund()
      const id = yield* sold()
      yield* Effect.exit(reverseSale(id))
      yield* TestClock.adjust("15 minutes")
      assert.strictEqual((yield* Effect.flip(reverseSale(id)))._tag, "RequestInProgress")
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Effect.flip(reverseSale(id)))._tag, "IdempotencyConflict")
    }).pipe(Effect.provide(layer))
  })
})

/** Kills the process right after it has recorded its first reversal. */
const killedOnce = (): ReversalFault => {
  let left = 1
  return (reversals) => ({
    ...reversals,
    begin: (intent) =>
      Effect.tap(reversals.begin(intent), () => (left-- > 0 ? Effect.die(new Error("killed")) : Effect.void))
  })
}

describe("a reversal that the provider does not know", () => {
  // The provider's answers in order, at 60 s, 360 s, 660 s, 960 s, 1260 s and 1560 s -> status of the sale, last counts
  // of recovery.
  it.effect.each([
    ["NNNNN", "SUCCESS", "reversalsDenied"],
    ["NNNN", "SUCCESS", "stillUnknown"],
    ["NNNNUN", "SUCCESS", "stillUnknown"],
    ["NNNNUNN", "SUCCESS", "reversalsDenied"],
    ["NNNNSN", "SUCCESS", "reversalsDenied"],
    ["NNNNC", "REVERSED", "reversed"]
  ] as const)(
    'is denied only after 15 minutes and two "not found" answers in a row: %s',
    ([script, status, counted]) => {
      const answers = { N: NotFound(), S: NotSent(), U: Unknown(), C: Confirmed() }
      let next = 0
      const { layer } = reversing({ asked: Effect.sync(() => answers[script[next++] as keyof typeof answers]) })
      return Effect.gen(function* () {
        yield* fund()
        const id = yield* sold()
        yield* unsentReversal(id)
        yield* TestClock.adjust("1 minute")
        let last = tally()
        for (const _ of script) {
          last = yield* recover("due")
          yield* TestClock.adjust("5 minutes")
        }
        assert.deepStrictEqual(last, tally({ [counted]: 1 }))
        assert.deepStrictEqual(yield* sales, [["RD-k1", status]])
      }).pipe(Effect.provide(layer))
    }
  )
})

describe("a provider's answer about a reversal that cannot be written", () => {
  it.effect("is requested again when the lease ends", () => {
    const { askedAt_s, layer } = reversing({ asked: Effect.succeed(Confirmed()) }, settlingFails(1))
    return Effect.gen(function* () {
      yield* fund()
      yield* unsentReversal(yield* sold(), "r1")
      yield* unsentReversal(yield* sold({ key: "k2" }), "r2")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* recover("due"), tally({ reversed: 1, stillUnknown: 1 }))
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(yield* recover("due"), tally())
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* recover("due"), tally({ reversed: 1 }))
      assert.deepStrictEqual(askedAt_s, [60, 60, 120])
      assert.deepStrictEqual(yield* money, givenBack)
    }).pipe(Effect.provide(layer))
  })
})

describe("several recoveries at the same time", () => {
  it.effect("ask about a reversal once, and take over the claim of a dead process when its lease ends", () => {
    const { askedAt_s, layer } = reversing({ asked: Effect.delay(Effect.succeed(Confirmed()), "10 seconds") })
    return Effect.gen(function* () {
      yield* fund()
      yield* unsentReversal(yield* sold())
      yield* TestClock.adjust("1 minute")
      const dying = yield* Effect.forkChild(
        Effect.all([recover("due"), recover("due"), recover("all")], { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(dying)
      yield* Effect.forkChild(keepRecovering)
      yield* TestClock.adjust("80 seconds")
      assert.deepStrictEqual(askedAt_s, [60, 120])
      assert.deepStrictEqual(yield* money, givenBack)
    }).pipe(Effect.provide(layer))
  })
})
