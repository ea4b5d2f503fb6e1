import { PgClient } from "@effect/sql-pg"
import { type Array as Arr, Context, Duration, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Database from "./Database.ts"
import { grouped } from "./Grouped.ts"

/** A note that takes longer than this is left out. */
const patience = Duration.seconds(5)

/**
 * A connection for what nothing depends on. Statements share connections, and behind one that waits others would wait.
 */
class NotesClient extends Context.Service<NotesClient, PgClient.PgClient>()("saldo/adapters/NotesClient") {}

/** One connection for notes: 1 s for a lock, 4 s for a statement. */
export const notesConnection = (options: Omit<Database.DatabaseOptions, "connections_max">) =>
  Layer.effect(NotesClient, PgClient.PgClient).pipe(
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

/** The connection for notes or, where there are few connections, any of them. */
export const notesClient = Effect.gen(function* () {
  const others = yield* PgClient.PgClient
  return Option.getOrElse(yield* Effect.serviceOption(NotesClient), () => others)
})

/**
 * Turns a statement that writes many notes into a call that writes one. The call always comes back soon, and never
 * fails: a history with a gap is no reason to hold up a sale.
 *
 * @param sql what the statement goes by.
 * @param name what the notes are called where they are measured.
 * @param about what the log says of a note that was not taken.
 */
export const groupedNotes = <Note>(
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
