import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Exit, Queue, Schedule } from "effect"

/** Maximum age of a cached value if no notification arrives. */
export const cached_max = Duration.seconds(5)

/** How long a result is cached. Failures are not cached, because later callers would receive them too. */
export const timeToLive = <A, E>(exit: Exit.Exit<A, E>): Duration.Duration =>
  Exit.isSuccess(exit) ? cached_max : Duration.zero

/**
 * Invalidates a cache on each notification of the channel, as long as the scope is open. Also invalidates it when the
 * listening connection is lost and when it is back, because notifications may have been missed.
 */
export const invalidateOn = Effect.fnUntraced(function* (channel: string, invalidate: Effect.Effect<void>) {
  const sql = yield* PgClient.PgClient
  const listen = Effect.gen(function* () {
    const notifications = yield* sql.listen(channel)
    yield* invalidate
    return yield* Effect.forever(Effect.andThen(Queue.take(notifications), invalidate))
  })
  yield* Effect.scoped(listen).pipe(
    Effect.ensuring(invalidate),
    Effect.tapError((error) =>
      Effect.logWarning("the listening connection was lost; connecting again", { channel, error: error.message })
    ),
    Effect.retry(Schedule.spaced("1 second")),
    Effect.forkScoped
  )
})
