import { NodeRedis } from "@effect/platform-node"
import { Clock, Context, Duration, Effect, Layer, Redacted } from "effect"
import { RateLimiter } from "effect/persistence"
import { CallCounter } from "../../core/ports/CallCounter.ts"
import * as CallCounterMemory from "./CallCounterMemory.ts"
import { countMinute } from "./Minute.ts"

/** A call does not wait longer than this for the shared count. */
const patience = Duration.millis(250)

/** After a failure the shared count is left alone this long, so that not every call waits for it. */
const rest_ms = 5_000

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
        socket: { reconnectStrategy: reconnectAfter_ms }
      })
    )
  )

const make = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const alone = yield* CallCounterMemory.make
  let limiter: RateLimiter.RateLimiter | undefined
  let restsUntil_ms = 0
  // The first connection may take as long as it likes: the server starts without it.
  yield* Layer.build(shared(url)).pipe(
    Effect.tap((context) =>
      Effect.sync(() => {
        limiter = Context.get(context, RateLimiter.RateLimiter)
      })
    ),
    Effect.catchCause((cause) =>
      Effect.logWarning("Redis cannot be used; every process counts calls by itself", cause)
    ),
    Effect.forkScoped
  )
  const rest = Effect.fnUntraced(function* (cause: unknown) {
    restsUntil_ms = (yield* Clock.currentTimeMillis) + rest_ms
    yield* Effect.logWarning("Redis does not answer; this process counts calls by itself for a while", cause)
  })
  return CallCounter.of({
    count: Effect.fnUntraced(function* (bucket, window, calls) {
      const now_ms = yield* Clock.currentTimeMillis
      if (limiter === undefined || now_ms < restsUntil_ms) return yield* alone.count(bucket, window, calls)
      return yield* countMinute(limiter, bucket, window, calls).pipe(
        Effect.timeout(patience),
        Effect.catch((cause) => Effect.andThen(rest(cause), alone.count(bucket, window, calls)))
      )
    })
  })
})

/** All processes count together in Redis; when it is out of reach each counts by itself. */
export const layer = (url: Redacted.Redacted) => Layer.effect(CallCounter, make(url))
