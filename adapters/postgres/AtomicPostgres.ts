import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { Atomic } from "../../core/ports/Atomic.ts"

/** One transaction of Postgres. What is read and written in a group goes its own way. */
export const layer = Layer.effect(
  Atomic,
  Effect.map(PgClient.PgClient, (sql) => ({
    together: <A, E, R>(writes: Effect.Effect<A, E, R>) =>
      Effect.catch(
        sql.withTransaction(writes),
        (error): Effect.Effect<never, E> => (isSqlError(error) ? Effect.die(error) : Effect.fail(error))
      )
  }))
)
