import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { InFlight } from "../../../core/workflows/InFlight.ts"
import { retryWrite } from "../../../core/workflows/RetryWrite.ts"

/** A write that fails until `recover` is called. Records the argument of each attempt. */
const unavailable = () => {
  const attempts: Array<boolean> = []
  let isAvailable = false
  const write = (hasAnswered: boolean) =>
    Effect.suspend(() => {
      attempts.push(hasAnswered)
      return isAvailable ? Effect.succeed("written") : Effect.die("no database")
    })
  return { attempts, write, recover: () => (isAvailable = true) }
}

describe("a write that must not be lost", () => {
  it.effect("is retried until it succeeds", () =>
    Effect.gen(function* () {
      const { attempts, recover, write } = unavailable()
      const writing = yield* Effect.forkChild(retryWrite(write, Effect.void, {}), { startImmediately: true })
      yield* TestClock.adjust("30 seconds")
      assert.isAbove(attempts.length, 5)
      recover()
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Fiber.join(writing), "written")
    })
  )

  it.effect("answers the caller once after five seconds, and passes that on to later attempts", () =>
    Effect.gen(function* () {
      const { attempts, recover, write } = unavailable()
      let answers = 0
      const onDelay = Effect.sync(() => {
        answers += 1
      })
      const writing = yield* Effect.forkChild(retryWrite(write, onDelay, {}), { startImmediately: true })
      yield* TestClock.adjust("4999 millis")
      assert.deepStrictEqual([answers, attempts.includes(true)], [0, false])
      yield* TestClock.adjust("1 minute")
      recover()
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(writing)
      assert.deepStrictEqual([answers, attempts.at(-1)], [1, true])
    })
  )

  it.effect("does not answer the caller when it succeeds in time", () =>
    Effect.gen(function* () {
      let answers = 0
      const onDelay = Effect.sync(() => {
        answers += 1
      })
      yield* retryWrite(() => Effect.succeed("written"), onDelay, {})
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(answers, 0)
    })
  )

  it.effect("answers its caller during shutdown, and shutdown waits for it", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { runWithReply } = Context.get(yield* Layer.buildWithScope(InFlight.layer, scope), InFlight)
      const committed = yield* Deferred.make<string>()
      const caller = yield* Effect.forkChild(
        runWithReply<string, never, never>((reply) =>
          retryWrite(() => Deferred.await(committed), reply(Exit.succeed("pending")), {})
        ),
        { startImmediately: true }
      )
      const stopping = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Fiber.join(caller), "pending")
      assert.isUndefined(stopping.pollUnsafe())
      yield* Deferred.succeed(committed, "written")
      yield* Fiber.join(stopping)
    })
  )
})
