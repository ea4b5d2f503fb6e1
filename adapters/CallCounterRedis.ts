import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { Clock, Context, Duration, Effect, Fiber, Layer, Redacted, Schedule } from "effect"
import { Redis } from "effect/persistence"
import { type Bucket, countedIn, type Window } from "../core/domain/RateLimit.ts"
import { CallCounter } from "../core/ports/CallCounter.ts"
import * as CallCounterMemory from "./CallCounterMemory.ts"

/** Timeout for counting a call in Redis. */
const count_max = Duration.millis(250)

/** After a failure, Redis is not used for this long. Otherwise every call would wait for the timeout. */
const pause_ns = 5_000_000_000n

/** A connection that receives nothing for this long is closed and opened again. */
const idle_max_ms = 4_000

/** Timeout for closing the connection when the process stops. */
const close_max = Duration.seconds(1)

const reconnectAfter_ms = (retries: number): number => Math.min(50 * 2 ** Math.min(retries, 6), 2_000)

/** How much longer than its window a key stays in Redis, because the clocks of the processes differ. */
const slack_s = 5

// Refused calls are not counted. The script is atomic, so two calls never receive the same count.
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
    // A command fails immediately if there is no connection.
    disableOfflineQueue: true,
    // Without an explicit reconnect strategy, the client stops connecting when its first connection fails.
    socket: { reconnectStrategy: reconnectAfter_ms, socketTimeout: idle_max_ms },
    // Pings keep a connection without calls open.
    pingInterval: idle_max_ms / 2
  })

// Connects in the background, so that the server starts without Redis. The client closes only after the answer to its
// last command, and a hanging Redis never answers. Closing therefore has a timeout.
const keepConnected = (url: Redacted.Redacted, connected: (together: Count) => void) =>
  Layer.build(Layer.fresh(connection(url))).pipe(
    Effect.tap((context) => Effect.sync(() => connected(countIn(Context.get(context, Redis.Redis))))),
    Effect.andThen(Effect.never),
    Effect.scoped,
    Effect.tapError((cause) =>
      Effect.logWarning("Redis cannot be used yet; every process counts calls by itself", cause)
    ),
    Effect.retry(Schedule.spaced("5 seconds")),
    (staying) => Effect.acquireRelease(Effect.forkDetach(staying), leave)
  )

const leave = (fiber: Fiber.Fiber<unknown, unknown>) =>
  Effect.interruptible(Effect.timeoutOption(Fiber.interrupt(fiber), close_max))

const make = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const alone = CallCounterMemory.make()
  let together: Count | undefined
  // The end of the pause after a failure, on the monotonic clock.
  let pausedUntil_ns = 0n
  yield* keepConnected(url, (connected) => {
    together = connected
  })
  const pause = Effect.fnUntraced(function* (cause: unknown) {
    pausedUntil_ns = (yield* Clock.monotonicTimeNanos) + pause_ns
    yield* Effect.logWarning("Redis does not answer; this process counts calls by itself for 5 s", cause)
  })
  return CallCounter.of({
    count: Effect.fnUntraced(function* (bucket, window, calls) {
      const now_ns = yield* Clock.monotonicTimeNanos
      if (together === undefined || now_ns < pausedUntil_ns) return yield* alone.count(bucket, window, calls)
      return yield* together(bucket, window, calls).pipe(
        Effect.timeout(count_max),
        Effect.catch((cause) => Effect.andThen(pause(cause), alone.count(bucket, window, calls)))
      )
    })
  })
})

/** A call counter that all processes share in Redis. While Redis is unreachable, each process counts by itself. */
export const layer = (url: Redacted.Redacted) => Layer.effect(CallCounter, make(url))
