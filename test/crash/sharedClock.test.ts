import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Duration, Effect, Fiber } from "effect"
import { temporaryDirectory } from "../boot/TemporaryDirectory.ts"
import { makeRunTime } from "./environment/RunTime.ts"

const time = Effect.flatMap(temporaryDirectory, makeRunTime)

describe("the time of a run", () => {
  it.live("jumps for everybody who looks", () =>
    Effect.gen(function* () {
      const { jump, on } = yield* time
      const before = yield* on(Effect.all([Clock.currentTimeMillis, Clock.monotonicTimeNanos]))
      yield* jump("20 minutes")
      const after = yield* on(Effect.all([Clock.currentTimeMillis, Clock.monotonicTimeNanos]))
      assert.isAtLeast(after[0] - before[0], Duration.toMillis("20 minutes"))
      assert.isAtLeast(Number(after[1] - before[1]) / 1e6, Duration.toMillis("20 minutes"))
    })
  )

  it.live("wakes whoever has slept enough, and nobody else", () =>
    Effect.gen(function* () {
      const { jump, on } = yield* time
      const [short, long] = yield* Effect.all([
        Effect.forkChild(on(Effect.sleep("1 hour"))),
        Effect.forkChild(on(Effect.sleep("3 hours")))
      ])
      yield* Effect.yieldNow
      yield* jump("2 hours")
      yield* Fiber.join(short)
      assert.isUndefined(long.pollUnsafe())
      yield* jump("2 hours")
      yield* Fiber.join(long)
    })
  )

  it.live("jumps only when nothing is done that it may not jump over", () =>
    Effect.gen(function* () {
      const { jump, on, still } = yield* time
      const done = yield* Deferred.make<void>()
      const doing = yield* Effect.forkChild(still(Deferred.await(done)))
      yield* Effect.yieldNow
      const before = yield* on(Clock.currentTimeMillis)
      const jumping = yield* Effect.forkChild(jump("2 hours"))
      yield* Effect.yieldNow
      assert.isBelow((yield* on(Clock.currentTimeMillis)) - before, Duration.toMillis("1 hour"))
      yield* Deferred.succeed(done, undefined)
      yield* Fiber.join(doing)
      yield* Fiber.join(jumping)
      assert.isAtLeast((yield* on(Clock.currentTimeMillis)) - before, Duration.toMillis("2 hours"))
    })
  )

  it.live("times out what takes longer", () =>
    Effect.gen(function* () {
      const { jump, on } = yield* time
      const waiting = yield* Effect.forkChild(on(Effect.timeoutOption(Effect.never, "30 seconds")))
      yield* Effect.yieldNow
      yield* jump("31 seconds")
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "None")
    })
  )
})
