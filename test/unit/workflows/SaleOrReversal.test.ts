import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { fund, money, sales } from "../../support/InMemoryWorld.ts"
import { operations, type Reply } from "../support/Operations.ts"

const status = Effect.map(sales, (all) => all.at(-1)?.[1])

describe.each(operations)("$operation of 100 pesos", (operation) => {
  it.effect.each<readonly [string, Effect.Effect<Reply>, "done" | "refused" | "unknown"]>([
    ["does it", Effect.succeed("done"), "done"],
    ["refuses it", Effect.succeed("refused"), "refused"],
    ["does not know the result", Effect.succeed("unknown"), "unknown"],
    ["fails", Effect.die(new Error("reset")), "unknown"],
    ["is interrupted", Effect.interrupt, "unknown"]
  ])("ends as the provider's answer says when the provider %s", ([, told, end]) => {
    const { layer, prepare, sent } = operation.world({ told })
    return Effect.gen(function* () {
      yield* fund()
      const { call } = yield* prepare()
      const answered = yield* call
      assert.strictEqual(answered.outcome._tag, operation[end].response)
      assert.isFalse(answered.replayed)
      assert.deepStrictEqual(yield* sales, [["RD-k1", operation[end].status]])
      assert.deepStrictEqual(yield* money, operation[end].money)
      assert.lengthOf(sent, 1)
      assert.match(sent[0] ?? "", operation.xid)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is pending only after the provider has not answered for 30 seconds", () => {
    const { layer, prepare } = operation.world({ told: Effect.never })
    return Effect.gen(function* () {
      yield* fund()
      const { call } = yield* prepare()
      const running = yield* Effect.forkChild(call)
      yield* TestClock.adjust("29999 millis")
      assert.isUndefined(running.pollUnsafe())
      assert.strictEqual(yield* status, operation.recorded.status)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(running)).outcome._tag, "Pending")
      assert.strictEqual(yield* status, operation.unknown.status)
      assert.deepStrictEqual(yield* money, operation.unknown.money)
    }).pipe(Effect.provide(layer))
  })

  it.effect("moves no money and frees its key if it was not sent, and a retry has the same xid", () => {
    const replies: Array<Reply> = ["not sent", "done"]
    const { layer, prepare, sent } = operation.world({ told: Effect.sync(() => replies.shift() ?? "unknown") })
    return Effect.gen(function* () {
      yield* fund()
      const { call } = yield* prepare()
      assert.strictEqual((yield* Effect.flip(call))._tag, "ServiceUnavailable")
      assert.deepStrictEqual(yield* money, operation.before)
      const retried = yield* call
      assert.strictEqual(retried.outcome._tag, operation.done.response)
      assert.isFalse(retried.replayed)
      assert.lengthOf(sent, 2)
      assert.strictEqual(sent[0], sent[1])
      assert.deepStrictEqual(yield* sales, operation.retried)
    }).pipe(Effect.provide(layer))
  })

  it.effect("continues and is settled when its caller disconnects", () => {
    const reply = Deferred.makeUnsafe<Reply>()
    const { layer, prepare } = operation.world({ told: Deferred.await(reply) })
    return Effect.gen(function* () {
      yield* fund()
      const { call } = yield* prepare()
      const caller = yield* Effect.forkChild(call)
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(caller)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(caller)))
      assert.strictEqual(yield* status, operation.recorded.status)
      yield* Deferred.succeed(reply, "done")
      yield* TestClock.adjust(0)
      assert.strictEqual(yield* status, operation.done.status)
      assert.deepStrictEqual(yield* money, operation.done.money)
      const again = yield* call
      assert.deepStrictEqual([again.outcome._tag, again.replayed], [operation.done.response, true])
    }).pipe(Effect.provide(layer))
  })
})

describe.each(operations)("the key of $operation", (operation) => {
  it.effect.each(["done", "refused", "unknown"] as const)(
    "replays the first response without asking the provider: %s",
    (told) => {
      const { layer, prepare, sent } = operation.world({ told: Effect.succeed(told) })
      return Effect.gen(function* () {
        yield* fund()
        const { call } = yield* prepare()
        const first = yield* call
        const after = yield* money
        yield* TestClock.adjust("23 hours")
        assert.deepStrictEqual(yield* call, { outcome: first.outcome, replayed: true })
        assert.lengthOf(sent, 1)
        assert.strictEqual((yield* money).available, after.available)
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("is refused as in progress while the call to the provider runs, and its order is sent once", () => {
    const { layer, prepare, sent } = operation.world({ told: Effect.never })
    return Effect.gen(function* () {
      yield* fund()
      const { call } = yield* prepare()
      yield* Effect.forkChild(call)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Effect.flip(call))._tag, "RequestInProgress")
      yield* TestClock.adjust("15 minutes")
      assert.deepStrictEqual([(yield* call).outcome._tag, (yield* call).replayed], ["Pending", true])
      assert.lengthOf(sent, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect.each(["done", "refused"] as const)(
    "is refused as a conflict more than a day after the answer %s, and the order is not sent again",
    (told) => {
      const { layer, prepare, sent } = operation.world({ told: Effect.succeed(told) })
      return Effect.gen(function* () {
        yield* fund()
        const { call } = yield* prepare()
        yield* call
        yield* TestClock.adjust("24 hours")
        assert.isTrue((yield* call).replayed)
        yield* TestClock.adjust("1 millis")
        assert.strictEqual((yield* Effect.flip(call))._tag, "IdempotencyConflict")
        assert.lengthOf(sent, 1)
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("is refused as a conflict after 15 minutes if its process died and no recovery has run", () => {
    const { layer, prepare, sent } = operation.world()
    return Effect.gen(function* () {
      yield* fund()
      const { call, unsent } = yield* prepare()
      yield* unsent
      yield* TestClock.adjust("15 minutes")
      assert.strictEqual((yield* Effect.flip(call))._tag, "RequestInProgress")
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Effect.flip(call))._tag, "IdempotencyConflict")
      assert.deepStrictEqual(sent, [])
    }).pipe(Effect.provide(layer))
  })
})
