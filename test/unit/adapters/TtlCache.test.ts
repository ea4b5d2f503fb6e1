import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeTtlCache } from "../../../adapters/postgres/connection/TtlCache.ts"

/** A cache that counts how often each key was read. The count is the value. */
const counting = (capacity: number) => {
  const reads = new Map<string, number>()
  const read = (key: string) =>
    Effect.sync(() => {
      const times = (reads.get(key) ?? 0) + 1
      reads.set(key, times)
      return times
    })
  return makeTtlCache(read, capacity)
}

describe("the cache", () => {
  it.effect("returns a value for five seconds after its read", () =>
    Effect.gen(function* () {
      const { get } = counting(2)
      const told: Array<number> = []
      for (const passed_ms of [0, 4_000, 999, 1, 4_999, 1]) {
        yield* TestClock.adjust(passed_ms)
        told.push(yield* get("a"))
      }
      assert.deepStrictEqual(told, [1, 1, 1, 2, 2, 3])
    })
  )

  it.effect("keeps the values of different keys apart", () =>
    Effect.gen(function* () {
      const { get } = counting(2)
      assert.deepStrictEqual(yield* Effect.forEach(["a", "a", "b", "a", "b"], get), [1, 1, 1, 1, 1])
    })
  )

  it.effect("reads again after an invalidation", () =>
    Effect.gen(function* () {
      const { forget, get } = counting(2)
      yield* get("a")
      yield* forget
      assert.strictEqual(yield* get("a"), 2)
    })
  )

  it.effect("does not keep the value of a read that was running during an invalidation", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const change = yield* Deferred.make<string>()
      const answers = [Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(change))]
      const { forget, get } = makeTtlCache(() => answers.shift() ?? Effect.succeed("after"), 2)
      const early = yield* Effect.forkChild(get("a"))
      yield* Deferred.await(begun)
      yield* forget
      yield* Deferred.succeed(change, "before")
      assert.strictEqual(yield* Fiber.join(early), "before")
      assert.strictEqual(yield* get("a"), "after")
    })
  )

  it.effect("counts the age of a value from the start of its read", () =>
    Effect.gen(function* () {
      let reads = 0
      const { get } = makeTtlCache(
        () =>
          Effect.delay(
            Effect.sync(() => ++reads),
            "3 seconds"
          ),
        2
      )
      const slow = yield* Effect.forkChild(get("a"))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* Fiber.join(slow), 1)
      yield* TestClock.adjust("1999 millis")
      assert.strictEqual(yield* get("a"), 1)
      yield* TestClock.adjust("1 millis")
      const again = yield* Effect.forkChild(get("a"))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* Fiber.join(again), 2)
    })
  )

  it.effect("keeps the value of the read that started last, whichever read ends last", () =>
    Effect.gen(function* () {
      const [older, newer] = [yield* Deferred.make<string>(), yield* Deferred.make<string>()]
      const answers = [older, newer]
      const { get } = makeTtlCache(() => Effect.suspend(() => Deferred.await(answers.shift() ?? newer)), 2)
      const first = yield* Effect.forkChild(get("a"), { startImmediately: true })
      yield* TestClock.adjust("1 millis")
      const second = yield* Effect.forkChild(get("a"), { startImmediately: true })
      yield* Deferred.succeed(newer, "revoked")
      assert.strictEqual(yield* Fiber.join(second), "revoked")
      yield* Deferred.succeed(older, "active")
      assert.strictEqual(yield* Fiber.join(first), "active")
      assert.strictEqual(yield* get("a"), "revoked")
    })
  )

  it.effect("does not keep failures", () =>
    Effect.gen(function* () {
      const answers = [Effect.die("the database is unavailable")]
      const { get } = makeTtlCache((): Effect.Effect<string> => answers.shift() ?? Effect.succeed("back"), 2)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(get("a"))))
      assert.strictEqual(yield* get("a"), "back")
    })
  )

  it.effect("evicts, when it is full, the key whose value was read from the source longest ago", () =>
    Effect.gen(function* () {
      const { get } = counting(2)
      const all = ["a", "b", "a", "c", "b", "c", "a", "c", "b"]
      assert.deepStrictEqual(yield* Effect.forEach(all, get), [1, 1, 1, 1, 1, 1, 2, 1, 2])
    })
  )

  it.effect("evicts a key by the time of its last read from the source, not of its first", () =>
    Effect.gen(function* () {
      const { get } = counting(3)
      yield* get("a")
      yield* TestClock.adjust("3 seconds")
      yield* get("b")
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* Effect.forEach(["a", "c", "d", "a", "b"], get), [2, 1, 1, 2, 2])
    })
  )
})
