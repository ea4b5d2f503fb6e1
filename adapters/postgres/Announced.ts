import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Exit, Queue, Schedule } from "effect"

/** How old a cached answer may get when no announcement comes, whatever the reason. */
const cached_max = Duration.seconds(5)

/** How long an answer is kept. That a look-up failed is not kept: it would fail for everybody who asks meanwhile. */
export const keptFor = <A, E>(exit: Exit.Exit<A, E>): Duration.Duration =>
  Exit.isSuccess(exit) ? cached_max : Duration.zero

/**
 * Runs `forget` whenever the channel announces a change, for as long as the scope lives. A listener that lost its
 * connection may have missed one, so it forgets both when it is lost and when it listens again.
 */
export const onAnnouncement = Effect.fnUntraced(function* (channel: string, forget: Effect.Effect<void>) {
  const sql = yield* PgClient.PgClient
  const listen = Effect.gen(function* () {
    const announcements = yield* sql.listen(channel)
    yield* forget
    return yield* Effect.forever(Effect.andThen(Queue.take(announcements), forget))
  })
  yield* Effect.scoped(listen).pipe(
    Effect.ensuring(forget),
    Effect.tapError((error) => Effect.logWarning("listening again", { channel, error: error.message })),
    Effect.retry(Schedule.spaced("1 second")),
    Effect.forkScoped
  )
})
