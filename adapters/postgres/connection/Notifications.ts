import type { PgClient } from "@effect/sql-pg"
import { Effect, Schedule, Stream } from "effect"
import type { SqlError } from "effect/sql/SqlError"

const once: Stream.Stream<void> = Stream.succeed(undefined)

/**
 * Emits on each notification of a channel, without end. Also emits when listening begins and when the listening
 * connection is lost, because notifications may have been missed. Listening holds a connection of its own.
 */
export const notificationsOf = (sql: PgClient.PgClient, channel: string): Stream.Stream<void> => {
  let isLost = false
  const logLoss = (error: SqlError) => {
    // Each attempt to connect fails while the server is down. The first failure is enough for the log.
    if (isLost) return Effect.void
    isLost = true
    return Effect.logWarning("the listening connection was lost; connecting again", { channel, error: error.message })
  }
  const listening = Effect.tap(sql.listen(channel), () =>
    Effect.sync(() => {
      isLost = false
    })
  )
  return Stream.unwrap(
    Effect.map(listening, (received) =>
      Stream.concat(
        once,
        Stream.map(Stream.fromQueue(received), () => undefined)
      )
    )
  ).pipe(
    Stream.tapError(logLoss),
    Stream.catch((error) => Stream.concat(once, Stream.fail(error))),
    Stream.retry(Schedule.spaced("1 second")),
    Stream.orDie
  )
}
