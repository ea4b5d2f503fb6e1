import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { TransactionId } from "../../../core/domain/Ids.ts"
import { periodsAt } from "../../../core/domain/LocalTime.ts"
import { ReversalAnswer } from "../../../core/domain/Reversal.ts"
import { Accounts } from "../../../core/ports/Accounts.ts"
import { company } from "../../support/Examples.ts"
import { fund, money, sales } from "../../support/InMemoryWorld.ts"
import { type ReversalFault, reverseSale, reversing, sold } from "../support/ReversalWorld.ts"

const { Confirmed, Denied, NotFound, NotSent, Unknown } = ReversalAnswer

const charged = { available: 90_000, held: 0, consumed: 10_000 }
const givenBack = { available: 100_000, held: 0, consumed: 0 }

describe("the reversal of a sale of 100 pesos out of 1000", () => {
  // the provider's answer -> the response, status of the sale, the money
  it.effect.each([
    ["confirms", Effect.succeed(Confirmed()), "Reversed", "REVERSED", givenBack],
    ["denies", Effect.succeed(Denied()), "Denied", "SUCCESS", charged],
    ["does not know the result", Effect.succeed(Unknown()), "Pending", "SUCCESS", charged],
    ["has not received the reversal yet", Effect.succeed(NotFound()), "Pending", "SUCCESS", charged],
    ["fails", Effect.die(new Error("reset")), "Pending", "SUCCESS", charged],
    ["is interrupted", Effect.interrupt, "Pending", "SUCCESS", charged]
  ] as const)("ends as the provider's answer says when the provider %s", ([, told, heard, status, left]) => {
    const { layer, sent } = reversing({ told })
    return Effect.gen(function* () {
      yield* fund()
      const answered = yield* reverseSale(yield* sold())
      assert.strictEqual(answered.outcome._tag, heard)
      assert.isFalse(answered.replayed)
      assert.deepStrictEqual(yield* sales, [["RD-k1", status]])
      assert.deepStrictEqual(yield* money, left)
      assert.lengthOf(sent, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is pending only after the provider has not answered for 30 seconds", () => {
    const { layer } = reversing({ told: Effect.never })
    return Effect.gen(function* () {
      yield* fund()
      const id = yield* sold()
      const reversal = yield* Effect.forkChild(reverseSale(id))
      yield* TestClock.adjust("29999 millis")
      assert.isUndefined(reversal.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(reversal)).outcome._tag, "Pending")
      assert.deepStrictEqual(yield* money, charged)
    }).pipe(Effect.provide(layer))
  })

  it.effect("frees its key if it was not sent, and a retry has the same xid", () => {
    const answers: Array<ReversalAnswer> = [NotSent(), Confirmed()]
    const { layer, sent } = reversing({ told: Effect.sync(() => answers.shift() ?? Unknown()) })
    return Effect.gen(function* () {
      yield* fund()
      const id = yield* sold()
      assert.strictEqual((yield* Effect.flip(reverseSale(id)))._tag, "ServiceUnavailable")
      assert.deepStrictEqual(yield* money, charged)
      const retried = yield* reverseSale(id)
      assert.strictEqual(retried.outcome._tag, "Reversed")
      assert.isFalse(retried.replayed)
      assert.strictEqual(sent[0], sent[1])
    }).pipe(Effect.provide(layer))
  })

  it.effect("returns the consumption to the day of the sale, not to the day of the reversal", () => {
    const { layer } = reversing()
    return Effect.gen(function* () {
      yield* TestClock.setTime(DateTime.toEpochMillis(DateTime.makeUnsafe("2026-03-03T12:00:00Z")))
      yield* fund()
      const id = yield* sold()
      yield* TestClock.adjust("1 day")
      yield* sold({ key: "k2" })
      yield* reverseSale(id)
      const periods = periodsAt(yield* DateTime.now)
      const { consumption } = yield* Accounts.use((accounts) => accounts.read(company.id, periods))
      assert.deepStrictEqual({ ...consumption } as object, { daily: 10_000, weekly: 10_000, monthly: 10_000 })
    }).pipe(Effect.provide(layer))
  })
})

describe("a reversal that is refused", () => {
  it.effect.each([
    ["the sale does not exist", TransactionId.make(999), "NotFound"],
    ["the service is not reversible", sold({ reversible: false }), "ReversalNotSupported"],
    ["the sale is already reversed", Effect.tap(sold(), (id) => reverseSale(id, "r0")), "NotReversible"]
  ] as const)("does not reach the provider and leaves its key free, because %s", ([, id, tag]) => {
    const { layer, sent } = reversing()
    return Effect.gen(function* () {
      yield* fund()
      const before = Effect.isEffect(id) ? yield* id : id
      const sentBefore = sent.length
      assert.strictEqual((yield* Effect.flip(reverseSale(before)))._tag, tag)
      assert.lengthOf(sent, sentBefore)
      const another = yield* reverseSale(yield* sold({ key: "k2" }))
      assert.strictEqual(another.outcome._tag, "Reversed")
      assert.isFalse(another.replayed)
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "is refused as in progress during another reversal of the same sale, and can be retried once that reversal is denied",
    () => {
      const reply = Deferred.makeUnsafe<ReversalAnswer>()
      const { layer, sent } = reversing({ told: Deferred.await(reply) })
      return Effect.gen(function* () {
        yield* fund()
        const id = yield* sold()
        const first = yield* Effect.forkChild(reverseSale(id, "r1"))
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Effect.flip(reverseSale(id, "r2")))._tag, "RequestInProgress")
        yield* Deferred.succeed(reply, Denied())
        assert.strictEqual((yield* Fiber.join(first)).outcome._tag, "Denied")
        assert.strictEqual((yield* reverseSale(id, "r2")).outcome._tag, "Denied")
        assert.lengthOf(sent, 2)
      }).pipe(Effect.provide(layer))
    }
  )
})

describe("the repeated key of a reversal", () => {
  it.effect.each([Confirmed(), Denied(), Unknown()])(
    "replays the first response without asking the provider: %j",
    (answer) => {
      const { layer, sent } = reversing({ told: Effect.succeed(answer) })
      return Effect.gen(function* () {
        yield* fund()
        const id = yield* sold()
        const first = yield* reverseSale(id)
        const left = yield* money
        yield* TestClock.adjust("23 hours")
        assert.deepStrictEqual(yield* reverseSale(id), { outcome: first.outcome, replayed: true })
        assert.lengthOf(sent, 1)
        assert.strictEqual((yield* money).available, left.available)
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect.each([Confirmed(), Denied()])(
    "is a conflict more than a day after the answer %j, never a second reversal",
    (answer) => {
      const { layer, sent } = reversing({ told: Effect.succeed(answer) })
      return Effect.gen(function* () {
        yield* fund()
        const id = yield* sold()
        yield* reverseSale(id)
        yield* TestClock.adjust("24 hours")
        assert.isTrue((yield* reverseSale(id)).replayed)
        yield* TestClock.adjust("1 millis")
        assert.strictEqual((yield* Effect.flip(reverseSale(id)))._tag, "IdempotencyConflict")
        assert.lengthOf(sent, 1)
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect(
    "is in progress during its reversal, and is refused as reused if it names another sale or is the key of a sale",
    () => {
      const { layer, sent } = reversing({ told: Effect.never })
      return Effect.gen(function* () {
        yield* fund()
        const id = yield* sold()
        const other = yield* sold({ key: "k2" })
        yield* Effect.forkChild(reverseSale(id))
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual((yield* Effect.flip(reverseSale(id)))._tag, "RequestInProgress")
        assert.strictEqual((yield* Effect.flip(reverseSale(other)))._tag, "KeyReused")
        assert.strictEqual((yield* Effect.flip(reverseSale(id, "k1")))._tag, "KeyReused")
        assert.strictEqual((yield* Effect.flip(sold({ key: "r1" })))._tag, "KeyReused")
        yield* TestClock.adjust("15 minutes")
        assert.lengthOf(sent, 1)
      }).pipe(Effect.provide(layer))
    }
  )
})

/** Pauses the process for this long after the reversal is recorded. */
const paused =
  (millis: number): ReversalFault =>
  (reversals) => ({ ...reversals, begin: (intent) => Effect.tap(reversals.begin(intent), () => Effect.sleep(millis)) })

describe("a process paused after it recorded a reversal", () => {
  it.effect.each([
    [10_000, "Reversed", 1],
    [10_001, "Pending", 0]
  ] as const)("sends the reversal only within ten seconds: after %d ms", ([millis, heard, times]) => {
    const { layer, sent } = reversing({}, paused(millis))
    return Effect.gen(function* () {
      yield* fund()
      const id = yield* sold()
      const reversal = yield* Effect.forkChild(reverseSale(id))
      yield* TestClock.adjust(millis)
      const first = yield* Fiber.join(reversal)
      assert.strictEqual(first.outcome._tag, heard)
      const again = yield* Effect.forkChild(reverseSale(id))
      yield* TestClock.adjust(millis)
      assert.deepStrictEqual(yield* Fiber.join(again), { ...first, replayed: true })
      assert.lengthOf(sent, times)
    }).pipe(Effect.provide(layer))
  })
})

describe("a process paused after it recorded a reversal, with its clock set back during the pause", () => {
  it.effect.each([
    [10_000, "Reversed", 1],
    [10_001, "Pending", 0]
  ] as const)("sends the reversal only within ten seconds: after %d ms", ([millis, heard, times]) => {
    const resumed = Deferred.makeUnsafe<void>()
    const { layer, sent } = reversing({}, (reversals) => ({
      ...reversals,
      begin: (intent) => Effect.tap(reversals.begin(intent), () => Deferred.await(resumed))
    }))
    return Effect.gen(function* () {
      yield* fund()
      const reversal = yield* Effect.forkChild(reverseSale(yield* sold()))
      yield* TestClock.adjust(millis)
      yield* TestClock.setTime(0)
      yield* Deferred.succeed(resumed, undefined)
      assert.strictEqual((yield* Fiber.join(reversal)).outcome._tag, heard)
      assert.lengthOf(sent, times)
    }).pipe(Effect.provide(layer))
  })
})

describe("a reversal whose caller disconnects", () => {
  it.effect("continues and is settled", () => {
    const reply = Deferred.makeUnsafe<ReversalAnswer>()
    const { layer } = reversing({ told: Deferred.await(reply) })
    return Effect.gen(function* () {
      yield* fund()
      const id = yield* sold()
      const caller = yield* Effect.forkChild(reverseSale(id))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(caller)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(caller)))
      yield* Deferred.succeed(reply, Confirmed())
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(yield* money, givenBack)
      const again = yield* reverseSale(id)
      assert.deepStrictEqual([again.outcome._tag, again.replayed], ["Reversed", true])
    }).pipe(Effect.provide(layer))
  })
})
