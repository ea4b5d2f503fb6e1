import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import { InFlight, retryWrite } from "../../../core/workflows/InFlight.ts"

const failed = (exit: Exit.Exit<unknown, unknown>) => (Exit.isFailure(exit) ? Cause.squash(exit.cause) : null)

describe("work in flight", () => {
  it.effect("answers its caller with the first reply and continues after it", () =>
    Effect.gen(function* () {
      const { runWithReply } = yield* InFlight
      const steps: Array<string> = []
      const heard = yield* runWithReply<string, never, never>((reply) =>
        reply(Exit.succeed("early")).pipe(
          Effect.andThen(Effect.yieldNow),
          Effect.andThen(Effect.sync(() => steps.push("ended"))),
          Effect.as("late")
        )
      )
      assert.deepStrictEqual([heard, steps], ["early", []])
      yield* Effect.yieldNow
      yield* Effect.yieldNow
      assert.deepStrictEqual(steps, ["ended"])
    }).pipe(Effect.provide(InFlight.layer))
  )

  it.effect("ends the caller's wait, whether it succeeds, fails or dies", () =>
    Effect.gen(function* () {
      const { runWithReply } = yield* InFlight
      assert.strictEqual(yield* runWithReply<string, never, never>(() => Effect.succeed("done")), "done")
      assert.strictEqual(failed(yield* Effect.exit(runWithReply(() => Effect.fail("refused")))), "refused")
      assert.strictEqual(failed(yield* Effect.exit(runWithReply(() => Effect.die("broken")))), "broken")
    }).pipe(Effect.provide(InFlight.layer))
  )

  it.effect("logs a defect only when no caller waits", () =>
    Effect.gen(function* () {
      const { runWithReply, start } = yield* InFlight
      const lines: Array<string> = []
      const ears = Logger.layer([Logger.map(Logger.formatJson, (line) => lines.push(line))])
      const breaking = Effect.andThen(Effect.yieldNow, Effect.die("broken"))
      yield* Effect.gen(function* () {
        yield* Effect.exit(runWithReply(() => breaking))
        assert.isEmpty(lines, "the caller has received the defect")
        yield* runWithReply<string, never, never>((reply) => Effect.andThen(reply(Exit.succeed("early")), breaking))
        const caller = yield* Effect.forkChild(
          runWithReply(() => breaking),
          { startImmediately: true }
        )
        yield* Fiber.interrupt(caller)
        yield* start(breaking)
        for (let turn = 0; turn < 4; turn++) yield* Effect.yieldNow
      }).pipe(Effect.provide(ears))
      assert.lengthOf(lines, 3)
      for (const line of lines) assert.match(line, /"level":"ERROR".*broken/)
    }).pipe(Effect.provide(InFlight.layer))
  )

  it.effect("is not started after shutdown has begun, and does not block its caller", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { runWithReply, start } = Context.get(yield* Layer.buildWithScope(InFlight.layer, scope), InFlight)
      yield* Scope.close(scope, Exit.void)
      let begun = false
      const begin = Effect.sync(() => (begun = true))
      // The caller of `start` does not wait for the work, so the caller is not interrupted.
      yield* start(begin)
      const caller = yield* Effect.forkChild(runWithReply(() => begin))
      const exit = yield* Fiber.await(caller)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.isFalse(begun)
    })
  )
})

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
    }).pipe(Effect.provide(InFlight.layer))
  )

  it.effect(
    "answers the caller once after five seconds, and tells each later attempt that the caller has been answered",
    () =>
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
      }).pipe(Effect.provide(InFlight.layer))
  )

  it.effect("does not answer the caller when it succeeds within five seconds", () =>
    Effect.gen(function* () {
      let answers = 0
      const onDelay = Effect.sync(() => {
        answers += 1
      })
      yield* retryWrite(() => Effect.succeed("written"), onDelay, {})
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(answers, 0)
    }).pipe(Effect.provide(InFlight.layer))
  )

  it.effect("answers the callers of several writes, each after its own five seconds", () =>
    Effect.gen(function* () {
      const answered: Array<number> = []
      const begin = (id: number) => {
        const onDelay = Effect.sync(() => void answered.push(id))
        return Effect.forkChild(
          retryWrite(() => Effect.never, onDelay, {}),
          { startImmediately: true }
        )
      }
      yield* begin(1)
      yield* TestClock.adjust("3 seconds")
      const second = yield* begin(2)
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(answered, [1])
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(answered, [1, 2])
      yield* TestClock.adjust("1 minute")
      yield* Fiber.interrupt(second)
      yield* begin(3)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(answered, [1, 2, 3])
    }).pipe(Effect.provide(InFlight.layer))
  )

  it.effect("answers the other callers even if the answer to one caller fails with a defect", () =>
    Effect.gen(function* () {
      let answers = 0
      const count = Effect.sync(() => {
        answers += 1
      })
      for (const onDelay of [Effect.die("broken"), count]) {
        yield* Effect.forkChild(
          retryWrite(() => Effect.never, onDelay, {}),
          { startImmediately: true }
        )
      }
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(answers, 1)
    }).pipe(Effect.provide(InFlight.layer))
  )

  it.effect("answers its caller during shutdown, and shutdown waits for the write", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const inFlight = yield* Layer.buildWithScope(InFlight.layer, scope)
      const { runWithReply } = Context.get(inFlight, InFlight)
      const committed = yield* Deferred.make<string>()
      const caller = yield* Effect.forkChild(
        runWithReply<string, never, never>((reply) =>
          Effect.provide(
            retryWrite(() => Deferred.await(committed), reply(Exit.succeed("pending")), {}),
            inFlight
          )
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
