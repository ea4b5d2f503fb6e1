import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { Atomic } from "../../core/ports/Atomic.ts"

/**
 * One transaction of Postgres, which grouped statements (Grouped.ts) stay out of.
 *
 * It may hold a row that sales wait for, and a sale that has waited 10 s is not sent. So neither does it wait long for
 * a lock, nor does Postgres wait long for its next statement: it is rolled back instead.
 */
export const layer = Layer.effect(
  Atomic,
  Effect.map(PgClient.PgClient, (sql) => {
    const limitWaits = sql`
      select
        set_config('lock_timeout', '3s', true),
        set_config('idle_in_transaction_session_timeout', '4s', true)`
    return Atomic.of({
      transact: (writes) =>
        Effect.catchIf(sql.withTransaction(Effect.andThen(limitWaits, writes)), isSqlError, Effect.die)
    })
  })
)
