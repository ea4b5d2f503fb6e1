import { PgClient } from "@effect/sql-pg"
import { type Array as Arr, Context, Duration, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { inCell } from "../connection/Cell.ts"
import * as Database from "../connection/Database.ts"
import { isLockTimeout } from "../connection/SqlFailure.ts"
import { grouped } from "./Grouped.ts"

/** Timeout after which a best-effort write is dropped. */
const write_max = Duration.seconds(5)

/**
 * Maximum number of retries of a write that waited for a lock. The timeout of the write ends before these retries are used
 * up.
 */
const lockRetries = 5

/**
 * A separate connection for best-effort writes, for which no caller waits. Statements share connections, so a waiting
 * write would delay the statements behind it.
 */
class BestEffortClient extends Context.Service<BestEffortClient, PgClient.PgClient>()(
  "saldo/adapters/BestEffortClient"
) {}

/** Best-effort writes on the connections of a node's other statements. For a pool that is too small for a separate one. */
export const sharedBestEffortConnection = Layer.effect(BestEffortClient, PgClient.PgClient)

/** One connection for best-effort writes, with a lock timeout of 1 s and a statement timeout of 4 s. */
export const bestEffortConnection = (options: Omit<Database.DatabaseOptions, "connections_max">) =>
  sharedBestEffortConnection.pipe(
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

/**
 * The connection for best-effort writes to the cell. If the pool is too small for a separate connection, any connection of
 * the pool.
 */
export const bestEffortClient = Effect.gen(function* () {
  const others = yield* PgClient.PgClient
  return yield* inCell(Option.getOrElse(yield* Effect.serviceOption(BestEffortClient), () => others))
})

/**
 * Turns a statement that writes many records into a call that writes one record. The call returns within the timeout
 * and never fails, because a missing record must not delay a sale.
 *
 * @param sql the client of the statement.
 * @param name the name of the records in metrics and logs.
 * @param about the facts to log about a dropped record.
 */
export const groupedBestEffort = <Note>(
  sql: PgClient.PgClient,
  name: string,
  write: (notes: Arr.NonEmptyReadonlyArray<Note>) => Effect.Effect<unknown, SqlError>,
  about: (note: Note) => Readonly<Record<string, unknown>>
) => {
  const note = grouped<Note, void>(sql, name, (notes) =>
    Effect.as(
      Effect.retry(write(notes), { while: isLockTimeout, times: lockRetries }),
      notes.map(() => undefined)
    )
  )
  return (one: Note) =>
    note(one).pipe(
      Effect.timeoutOrElse({
        duration: write_max,
        orElse: () =>
          Effect.logWarning("a best-effort write timed out; its record is dropped", { note: name, ...about(one) })
      }),
      Effect.catchCause((cause) =>
        Effect.logWarning("a best-effort write failed; its record is dropped", { note: name, ...about(one) }, cause)
      )
    )
}
