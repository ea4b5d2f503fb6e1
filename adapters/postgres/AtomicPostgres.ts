import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { Atomic } from "../../core/ports/Atomic.ts"

/**
 * One transaction of Postgres. What is read and written in a group goes its own way.
 *
 * It may hold a row that sales need, which are not sent once they are 10 s old: so it waits for no lock for long, nor
 * Postgres for it. Then nothing is kept.
 */
export const layer = Layer.effect(
  Atomic,
  Effect.map(PgClient.PgClient, (sql) => {
    const impatient = sql`
      select
        set_config('lock_timeout', '3s', true),
        set_config('idle_in_transaction_session_timeout', '4s', true)`
    return Atomic.of({
      together: (writes) =>
        Effect.catchIf(sql.withTransaction(Effect.andThen(impatient, writes)), isSqlError, Effect.die)
    })
  })
)
