import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { createInterface } from "node:readline"
import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Redacted, References } from "effect"
import { Redis } from "effect/persistence"
import { TestClock } from "effect/testing"
import * as CallCounterMemory from "../../adapters/CallCounterMemory.ts"
import * as CallCounterRedis from "../../adapters/CallCounterRedis.ts"
import { dayWindowAt, windowAt } from "../../core/domain/RateLimit.ts"
import { CallCounter } from "../../core/ports/CallCounter.ts"
import { countCall, countOfDay, quotaOf } from "../../core/workflows/CountCalls.ts"
import { freePort } from "../fakes/LocalServer.ts"
import { fakeRedis } from "../fakes/Redis.ts"
import { makeClock } from "../support/Clocks.ts"
import { eventually } from "../support/Eventually.ts"

const bucket = { key: "token:7", limit: 3 }

const remainingAfter = (calls: number) =>
  Effect.map(Effect.replicateEffect(countCall(bucket), calls), (counted) =>
    counted.map(({ admitted, quota }) => (admitted ? quota.remaining : "refused"))
  )

describe("a window of one minute", () => {
  it.each([
    [0, 60, 60],
    [1, 60, 60],
    [59_000, 60, 1],
    [59_999, 60, 1],
    [60_000, 120, 60]
  ])("at %i ms ends at second %i, %i s later", (now_ms, endsAt_s, endsIn_s) => {
    assert.deepInclude(windowAt(now_ms), { endsAt_s, endsIn_s })
  })
})

describe("a window of a local day", () => {
  it.each([
    // Midnight in Santo Domingo is 04:00 UTC.
    ["2026-03-02T04:00:00.000Z", "2026-03-03T04:00:00Z", 86_400],
    ["2026-03-03T03:59:59.999Z", "2026-03-03T04:00:00Z", 1],
    ["2026-03-03T04:00:00.000Z", "2026-03-04T04:00:00Z", 86_400],
    ["2026-12-31T23:59:59.001Z", "2027-01-01T04:00:00Z", 14_401]
  ])("at %s ends at %s, %i s later", (now, end, endsIn_s) => {
    assert.deepInclude(dayWindowAt(Date.parse(now)), { endsAt_s: Date.parse(end) / 1000, endsIn_s })
  })
})

describe("calls counted in this process", () => {
  it.effect("are rejected once the limit of the minute is reached, until the minute ends", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(600_000)
      assert.deepStrictEqual(yield* remainingAfter(3), [2, 1, 0])
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(yield* remainingAfter(2), ["refused", "refused"])
      assert.strictEqual((yield* quotaOf(bucket)).remaining, 0)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* remainingAfter(4), [2, 1, 0, "refused"])
    }).pipe(Effect.provide(CallCounterMemory.layer))
  )

  it.effect("are counted from zero again when the clock is set back by an hour, but not by a second", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(7_200_000)
      assert.deepStrictEqual(yield* remainingAfter(4), [2, 1, 0, "refused"])
      yield* TestClock.setTime(7_199_000)
      assert.deepStrictEqual(yield* remainingAfter(1), ["refused"])
      yield* TestClock.setTime(3_600_000)
      assert.deepStrictEqual(yield* remainingAfter(4), [2, 1, 0, "refused"])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* remainingAfter(4), [2, 1, 0, "refused"])
    }).pipe(Effect.provide(CallCounterMemory.layer))
  )

  it.effect("are counted separately for each token, and reading the quota counts no call", () =>
    Effect.gen(function* () {
      yield* remainingAfter(2)
      assert.strictEqual((yield* quotaOf({ ...bucket, key: "token:8" })).remaining, 3)
      assert.strictEqual((yield* quotaOf(bucket)).remaining, 1)
      assert.strictEqual((yield* quotaOf(bucket)).remaining, 1)
    }).pipe(Effect.provide(CallCounterMemory.layer))
  )
})

describe("calls counted per day", () => {
  it.effect("are kept for the whole day, separately from the calls of a minute", () =>
    Effect.gen(function* () {
      const ofDay = Effect.replicateEffect(countOfDay(bucket), 2)
      yield* TestClock.setTime(Date.UTC(2026, 2, 2, 12))
      assert.deepStrictEqual(yield* ofDay, [true, true])
      assert.deepStrictEqual(yield* remainingAfter(1), [2])
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* remainingAfter(1), [2])
      assert.deepStrictEqual(yield* ofDay, [true, false])
      yield* TestClock.setTime(Date.UTC(2026, 2, 3, 4))
      assert.deepStrictEqual(yield* ofDay, [true, true])
    }).pipe(Effect.provide(CallCounterMemory.layer))
  )
})

const isScript = (command: string) => /\r\nEVAL(SHA)?\r\n/i.test(command)

const quiet = Layer.succeed(References.MinimumLogLevel, "None")

/**
 * A clock whose wall time stands still, so no minute ends between two calls. Sleeps and monotonic time are real, so
 * timeouts of Redis work.
 */
const onOneMinute = Layer.effect(
  Clock.Clock,
  Effect.map(Clock.Clock, (clock) =>
    makeClock({
      wall_ms: () => 600_000,
      monotonic_ns: () => clock.monotonicTimeNanosUnsafe(),
      sleep: (duration) => clock.sleep(duration)
    })
  )
)

const counting = (url: Redacted.Redacted) =>
  Layer.fresh(CallCounterRedis.layer(url)).pipe(Layer.provideMerge(Layer.merge(quiet, onOneMinute)))

/** Reads the quota until Redis has received the script, which happens as soon as the connection is open. */
const untilAsked = (asked: () => boolean) =>
  quotaOf(bucket).pipe(Effect.tap(Effect.yieldNow), Effect.repeat({ until: asked }))

describe("calls with a counter in Redis", () => {
  it.live.each([
    ["are shared by all processes", ":2\r\n", [1, 1]],
    ["are rejected when all processes together reach the limit", ":4\r\n", ["refused", "refused"]],
    ["are counted in this process when Redis fails", "-ERR out of memory\r\n", [2, 1, 0, "refused"]],
    ["are counted in this process when Redis does not respond", undefined, [2, 1, 0, "refused"]]
  ] as const)("%s", ([, script, expected]) =>
    Effect.gen(function* () {
      let asked = false
      const { url } = yield* fakeRedis((command) => {
        if (!isScript(command)) return "+OK\r\n"
        asked = true
        return script
      })
      yield* Effect.gen(function* () {
        yield* untilAsked(() => asked)
        assert.deepStrictEqual(yield* remainingAfter(expected.length), [...expected])
      }).pipe(Effect.provide(counting(url)))
    })
  )

  // Counter, seconds in its window, and seconds left in it. A key lives five seconds longer than its window. At 00:10
  // UTC the minute has just begun, and the local day ends in 3 h 50 min.
  it.live.each([
    ["a minute", countCall, 60, 60],
    ["a day", countOfDay, 86_400, 13_800]
  ] as const)(
    "are stored, for %s, under a key that expires five seconds after the window",
    ([, count, length_s, left_s]) =>
      Effect.gen(function* () {
        const commands: Array<ReadonlyArray<string>> = []
        const { url } = yield* fakeRedis((command) => {
          if (!isScript(command)) return "+OK\r\n"
          commands.push(command.split("\r\n").filter((_, line) => line > 0 && line % 2 === 0))
          return ":1\r\n"
        })
        yield* Effect.gen(function* () {
          yield* untilAsked(() => commands.length > 0)
          yield* count(bucket)
        }).pipe(Effect.provide(counting(url)))
        const [name, , keys, key, calls, limit, stays_s] = commands.at(-1) ?? []
        assert.deepStrictEqual([name, keys, calls, limit], ["EVALSHA", "1", "1", "3"])
        assert.include(key, `token:7:${length_s}:`)
        assert.strictEqual(stays_s, String(left_s + 5))
      })
  )

  it.live("are counted in this process when Redis accepts the connection and does not respond", () =>
    Effect.gen(function* () {
      const { url } = yield* fakeRedis(() => undefined)
      assert.deepStrictEqual(yield* Effect.provide(remainingAfter(4), counting(url)), [2, 1, 0, "refused"])
    })
  )

  it.live("are counted in this process when Redis does not run", () =>
    Effect.gen(function* () {
      const { server, url } = yield* fakeRedis(() => undefined)
      yield* Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
      assert.deepStrictEqual(yield* Effect.provide(remainingAfter(4), counting(url)), [2, 1, 0, "refused"])
    })
  )
})

/** Path of the Debian package. */
const redisServer = "/usr/bin/redis-server"

/** Whether a real Redis can run the counting script. The test is skipped where Redis is not installed. */
const hasRedis = existsSync(redisServer)
if (!hasRedis) console.warn(`${redisServer} is not installed, so the counting script is not tested`)

const start = async (port: number) => {
  const settings = ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
  const child = spawn(redisServer, settings, { stdio: ["ignore", "pipe", "inherit"] })
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes("Ready to accept connections")) return { child, url: Redacted.make(`redis://127.0.0.1:${port}`) }
  }
  throw new Error("Redis did not start")
}

/** The URL of an empty Redis that runs during the test. */
const redis = Effect.acquireRelease(
  Effect.flatMap(freePort, (port) => Effect.promise(() => start(port))),
  ({ child }) =>
    Effect.promise(async () => {
      const gone = once(child, "exit")
      child.kill()
      await gone
    })
).pipe(Effect.map(({ url }) => url))

const window = { length_s: 86_400, number: 1, endsAt_s: 86_400, endsIn_s: 80_000 }

/**
 * A counting function on its own connection to this Redis. Waits for the connection, because a counter without a
 * connection counts in its own process.
 */
const processOn = Effect.fnUntraced(function* (url: Redacted.Redacted, asked: Effect.Effect<number>) {
  const built = yield* Layer.build(Layer.fresh(CallCounterRedis.layer(url)))
  const { count } = Context.get(built, CallCounter)
  const before = yield* asked
  yield* eventually(Effect.andThen(count(bucket, window, 0), asked), (now) => now > before)
  return (calls: 0 | 1) => count(bucket, window, calls)
})

describe.skipIf(!hasRedis)("calls counted by a real Redis", () => {
  it.live("are shared by all processes, count only admitted calls, and expire with their window", () =>
    Effect.gen(function* () {
      const url = yield* redis
      const own = yield* Layer.build(Layer.fresh(NodeRedis.layer({ url: Redacted.value(url) })))
      const { send } = Context.get(own, Redis.Redis)
      const scripts = Effect.map(send<string>("INFO", "commandstats"), (told) =>
        [...told.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)].reduce((sum, [, calls]) => sum + Number(calls), 0)
      ).pipe(Effect.orDie)
      const one = yield* processOn(url, scripts)
      const other = yield* processOn(url, scripts)
      const answer = (admitted: boolean, remaining: number) => ({ admitted, quota: { limit: 3, remaining, window } })
      const room = (remaining: number) => answer(true, remaining)
      assert.deepStrictEqual(yield* Effect.all([one(1), other(1), one(0), other(1)]), [
        room(2),
        room(1),
        room(1),
        room(0)
      ])
      const full = answer(false, 0)
      assert.deepStrictEqual(yield* Effect.all([one(1), other(1)]), [full, full])
      assert.deepStrictEqual(yield* one(0), room(0))
      const [key = "", ...others] = yield* send<ReadonlyArray<string>>("KEYS", "*")
      assert.deepStrictEqual(others, [])
      assert.strictEqual(yield* send("GET", key), "3")
      const stays_s = yield* send<number>("TTL", key)
      assert.isTrue(stays_s > window.endsIn_s / 2 && stays_s <= window.endsIn_s + 5, `${stays_s} s`)
    }).pipe(Effect.scoped)
  )
})
