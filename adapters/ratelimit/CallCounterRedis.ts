import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { Clock, Context, Duration, Effect, Fiber, Layer, Redacted, Schedule } from "effect"
import { Redis } from "effect/persistence"
import { type Bucket, countedIn, type Window } from "../../core/domain/RateLimit.ts"
import { CallCounter } from "../../core/ports/CallCounter.ts"
import * as CallCounterMemory from "./CallCounterMemory.ts"

/** A call does not wait longer than this for the shared count. */
const patience = Duration.millis(250)

/** After a failure the shared count is left alone this long, so that not every call waits for it. */
const rest_ns = 5_000_000_000n

/** A connection that says nothing for so long is given up, and made again. */
const silence_max_ms = 4_000

/** A stopping process waits this long for a Redis that may never answer. */
const farewell = Duration.seconds(1)

const reconnectAfter_ms = (retries: number): number => Math.min(50 * 2 ** Math.min(retries, 6), 2_000)

/** A key stays a little longer than its window, as the clocks of processes differ. */
const slack_s = 5

// A call that is refused is not counted. The script runs alone, so that no two calls get the same number.
const script = Redis.script(
  (key: string, calls: number, limit: number, stays_s: number) => [key, calls, limit, stays_s],
  {
    numberOfKeys: 1,
    lua: `
      local held = tonumber(redis.call("get", KEYS[1]) or "0") + tonumber(ARGV[1])
      if held <= tonumber(ARGV[2]) then
        redis.call("set", KEYS[1], held, "ex", ARGV[3])
      end
      return held`
  }
).withReturnType<number>()

const countIn = (redis: Redis.Redis["Service"]) => {
  const count = redis.eval(script)
  return (bucket: Bucket, window: Window, calls: 0 | 1) => {
    const { endsIn_s, length_s, number } = window
    return Effect.map(
      count(`saldo:calls:${bucket.key}:${length_s}:${number}`, calls, bucket.limit, endsIn_s + slack_s),
      (held) => countedIn(bucket, window, held)
    )
  }
}

type Count = ReturnType<typeof countIn>

const connection = (url: Redacted.Redacted) =>
  NodeRedis.layer({
    url: Redacted.value(url),
    // A command that cannot be sent fails at once instead of waiting for the connection.
    disableOfflineQueue: true,
    // Without a strategy of its own the client gives up when its first connection fails.
    socket: { reconnectStrategy: reconnectAfter_ms, socketTimeout: silence_max_ms },
    // Keeps an idle connection from looking like a silent one.
    pingInterval: silence_max_ms / 2
  })

// The first connection may take as long as it likes: the server starts without it. The client closes when its last
// command was answered, which a Redis that hangs never does: nobody waits for that either.
const keepConnected = (url: Redacted.Redacted, connected: (together: Count) => void) =>
  Layer.build(Layer.fresh(connection(url))).pipe(
    Effect.tap((context) => Effect.sync(() => connected(countIn(Context.get(context, Redis.Redis))))),
    Effect.andThen(Effect.never),
    Effect.scoped,
    Effect.tapError((cause) => Effect.logWarning("Redis cannot be used yet; every process counts by itself", cause)),
    Effect.retry(Schedule.spaced("5 seconds")),
    (staying) => Effect.acquireRelease(Effect.forkDetach(staying), leave)
  )

const leave = (fiber: Fiber.Fiber<unknown, unknown>) =>
  Effect.interruptible(Effect.timeoutOption(Fiber.interrupt(fiber), farewell))

const make = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const alone = CallCounterMemory.make()
  let together: Count | undefined
  // On the monotonic clock.
  let restsUntil_ns = 0n
  yield* keepConnected(url, (connected) => {
    together = connected
  })
  const rest = Effect.fnUntraced(function* (cause: unknown) {
    restsUntil_ns = (yield* Clock.monotonicTimeNanos) + rest_ns
    yield* Effect.logWarning("Redis does not answer; this process counts calls by itself for a while", cause)
  })
  return CallCounter.of({
    count: Effect.fnUntraced(function* (bucket, window, calls) {
      const now_ns = yield* Clock.monotonicTimeNanos
      if (together === undefined || now_ns < restsUntil_ns) return yield* alone.count(bucket, window, calls)
      return yield* together(bucket, window, calls).pipe(
        Effect.timeout(patience),
        Effect.catch((cause) => Effect.andThen(rest(cause), alone.count(bucket, window, calls)))
      )
    })
  })
})

/** All processes count together in Redis; when it is out of reach each counts by itself. */
export const layer = (url: Redacted.Redacted) => Layer.effect(CallCounter, make(url))
