import { PgClient } from "@effect/sql-pg"
import { type Array as Arr, Context, Duration, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Database from "./Database.ts"
import { grouped } from "./Grouped.ts"

/** Whoever takes notes waits this long at most; then it is one note less. */
const patience = Duration.seconds(5)

/**
 * A connection for what nothing depends on. Statements share connections, and behind one that waits others would wait.
 */
class NotingClient extends Context.Service<NotingClient, PgClient.PgClient>()("saldo/adapters/NotingClient") {}

/** One connection for notes: 1 s for a lock, 4 s for a statement. */
export const noting = (options: Omit<Database.DatabaseOptions, "connections_max">) =>
  Layer.effect(NotingClient, PgClient.PgClient).pipe(
    Layer.provide(
      Layer.fresh(
        Database.layer({
          ...options,
          connections_max: 1,
          parameters: { lock_timeout: "1000", statement_timeout: "4000", ...options.parameters }
        })
      )
    )
  )

/** What takes notes: the connection for it or, where there are few, one of the others. */
export const notingClient = Effect.gen(function* () {
  const others = yield* PgClient.PgClient
  return Option.getOrElse(yield* Effect.serviceOption(NotingClient), () => others)
})

/**
 * Turns a statement that notes many things into a call that notes one, and always comes back soon: a history with a gap
 * is no reason to hold a sale.
 *
 * @param sql what the statement goes by.
 * @param name what the notes are called where they are measured.
 * @param about what the log says of a note that was not taken.
 */
export const notingTogether = <Note>(
  sql: PgClient.PgClient,
  name: string,
  write: (notes: Arr.NonEmptyReadonlyArray<Note>) => Effect.Effect<unknown, SqlError>,
  about: (note: Note) => Readonly<Record<string, unknown>>
) => {
  const note = grouped<Note, void>(sql, name, (notes) =>
    Effect.as(
      write(notes),
      notes.map(() => undefined)
    )
  )
  return (one: Note) =>
    note(one).pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => Effect.logWarning("a note took too long, and is left out", { note: name, ...about(one) })
      }),
      Effect.catchCause((cause) => Effect.logWarning("a note was not taken", { note: name, ...about(one) }, cause))
    )
}
