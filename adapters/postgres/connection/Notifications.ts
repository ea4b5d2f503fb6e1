import type { PgClient } from "@effect/sql-pg"
import { Effect, Schedule, Stream } from "effect"

const once: Stream.Stream<void> = Stream.succeed(undefined)

/**
 * Emits on each notification of a channel, without end. Also emits when listening begins and when the listening
 * connection is lost, because notifications may have been missed. Listening holds a connection of its own.
 */
export const notificationsOf = (sql: PgClient.PgClient, channel: string): Stream.Stream<void> =>
  Stream.unwrap(
    Effect.map(sql.listen(channel), (received) =>
      Stream.concat(
        once,
        Stream.map(Stream.fromQueue(received), () => undefined)
      )
    )
  ).pipe(
    Stream.tapError((error) =>
      Effect.logWarning("the listening connection was lost; connecting again", { channel, error: error.message })
    ),
    Stream.catch((error) => Stream.concat(once, Stream.fail(error))),
    Stream.retry(Schedule.spaced("1 second")),
    Stream.orDie
  )
