import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { Atomic } from "../../core/ports/Atomic.ts"

/** One transaction of Postgres. What is read and written in a group goes its own way. */
export const layer = Layer.effect(
  Atomic,
  Effect.map(PgClient.PgClient, (sql) => ({
    together: <A, E, R>(writes: Effect.Effect<A, E, R>) =>
      Effect.catchIf(sql.withTransaction(writes), isSqlError, Effect.die)
  }))
)
