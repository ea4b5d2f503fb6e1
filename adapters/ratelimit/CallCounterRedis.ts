import { NodeRedis } from "@effect/platform-node"
import { Clock, Context, Duration, Effect, Fiber, Layer, Redacted, Schedule } from "effect"
import { RateLimiter } from "effect/persistence"
import { CallCounter } from "../../core/ports/CallCounter.ts"
import * as CallCounterMemory from "./CallCounterMemory.ts"
import { countIn } from "./CountIn.ts"

/** A call does not wait longer than this for the shared count. */
const patience = Duration.millis(250)

/** After a failure the shared count is left alone this long, so that not every call waits for it. */
const rest_ms = 5_000

/** A connection that says nothing for so long is given up, and made again. */
const silence_max_ms = 4_000

/** A stopping process waits this long for a Redis that may never answer. */
const farewell = Duration.seconds(1)

const reconnectAfter_ms = (retries: number): number => Math.min(50 * 2 ** Math.min(retries, 6), 2_000)

const shared = (url: Redacted.Redacted) =>
  RateLimiter.layer.pipe(
    Layer.provide(RateLimiter.layerStoreRedis({ prefix: "saldo:calls:" })),
    Layer.provide(
      NodeRedis.layer({
        url: Redacted.value(url),
        // A command that cannot be sent fails at once instead of waiting for the connection.
        disableOfflineQueue: true,
        // Without a strategy of its own the client gives up when its first connection fails.
        socket: { reconnectStrategy: reconnectAfter_ms, socketTimeout: silence_max_ms },
        // Keeps an idle connection from looking like a silent one.
        pingInterval: silence_max_ms / 2
      })
    )
  )

// The first connection may take as long as it likes: the server starts without it. The client closes when its last
// command was answered, which a Redis that hangs never does: nobody waits for that either.
const keepConnected = (url: Redacted.Redacted, connected: (limiter: RateLimiter.RateLimiter) => void) =>
  Layer.build(Layer.fresh(shared(url))).pipe(
    Effect.tap((context) => Effect.sync(() => connected(Context.get(context, RateLimiter.RateLimiter)))),
    Effect.andThen(Effect.never),
    Effect.scoped,
    Effect.tapError((cause) => Effect.logWarning("Redis cannot be used yet; every process counts by itself", cause)),
    Effect.retry(Schedule.spaced("5 seconds")),
    (staying) => Effect.acquireRelease(Effect.forkDetach(staying), leave)
  )

const leave = (fiber: Fiber.Fiber<unknown, unknown>) =>
  Effect.interruptible(Effect.timeoutOption(Fiber.interrupt(fiber), farewell))

const make = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const alone = yield* CallCounterMemory.make
  let limiter: RateLimiter.RateLimiter | undefined
  let restsUntil_ms = 0
  yield* keepConnected(url, (connected) => {
    limiter = connected
  })
  const rest = Effect.fnUntraced(function* (cause: unknown) {
    restsUntil_ms = (yield* Clock.currentTimeMillis) + rest_ms
    yield* Effect.logWarning("Redis does not answer; this process counts calls by itself for a while", cause)
  })
  return CallCounter.of({
    count: Effect.fnUntraced(function* (bucket, window, calls) {
      const now_ms = yield* Clock.currentTimeMillis
      if (limiter === undefined || now_ms < restsUntil_ms) return yield* alone.count(bucket, window, calls)
      return yield* countIn(limiter, bucket, window, calls).pipe(
        Effect.timeout(patience),
        Effect.catch((cause) => Effect.andThen(rest(cause), alone.count(bucket, window, calls)))
      )
    })
  })
})

/** All processes count together in Redis; when it is out of reach each counts by itself. */
export const layer = (url: Redacted.Redacted) => Layer.effect(CallCounter, make(url))
