import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { Redis } from "effect/persistence"
import * as CallCounterRedis from "../../adapters/ratelimit/CallCounterRedis.ts"
import { CallCounter } from "../../core/ports/CallCounter.ts"
import { eventually } from "../support/Eventually.ts"
import { hasRedis, redis } from "../support/RedisServer.ts"

const bucket = { key: "token:7", limit: 3 }
const window = { length_s: 86_400, number: 1, endsAt_s: 86_400, endsIn_s: 80_000 }

/** A process that counts in this Redis. Asked before its connection stands it counts alone. */
const processOn = Effect.fnUntraced(function* (url: Redacted.Redacted, asked: Effect.Effect<number>) {
  const built = yield* Layer.build(Layer.fresh(CallCounterRedis.layer(url)))
  const { count } = Context.get(built, CallCounter)
  const before = yield* asked
  yield* eventually(Effect.andThen(count(bucket, window, 0), asked), (now) => now > before)
  return (calls: 0 | 1) => count(bucket, window, calls)
})

describe.skipIf(!hasRedis)("calls counted by a Redis", () => {
  it.live("are those of all processes, of which it keeps what was admitted, and no longer than their window", () =>
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
