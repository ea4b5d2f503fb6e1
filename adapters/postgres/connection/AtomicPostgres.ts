import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { Atomic } from "../../../core/ports/Atomic.ts"

/**
 * `Atomic` as one Postgres transaction. Grouped statements (Grouped.ts) never run inside it.
 *
 * The transaction may lock rows that sales need, and a sale that waits 10 s is not sent. Therefore it is rolled back if
 * it waits 3 s for a lock or is idle for 4 s between statements.
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
