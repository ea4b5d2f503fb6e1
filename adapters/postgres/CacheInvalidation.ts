import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Exit, Queue, Schedule } from "effect"

/** How old a cached answer may get when no notification comes, whatever the reason. */
export const cached_max = Duration.seconds(5)

/** How long an answer is cached. A failure is not: it would fail for everybody who asks meanwhile. */
export const timeToLive = <A, E>(exit: Exit.Exit<A, E>): Duration.Duration =>
  Exit.isSuccess(exit) ? cached_max : Duration.zero

/**
 * Invalidates a cache whenever the channel notifies of a change, for as long as the scope lives. A listener that lost
 * its connection may have missed a notification, so the cache is invalidated both when it is lost and when it is back.
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
    Effect.tapError((error) => Effect.logWarning("listening again", { channel, error: error.message })),
    Effect.retry(Schedule.spaced("1 second")),
    Effect.forkScoped
  )
})
