import { Effect, Semaphore } from "effect"
import type { CellSql } from "../connection/Cell.ts"

/**
 * Makes the function that runs statements on the queue of deliveries, in a transaction. A transaction has a connection
 * of its own, so the statements do not delay sales, which share another connection.
 *
 * The settings make the planner use the indexes. Without them it would read whole tables, because right after
 * deliveries the statistics show an empty queue. Each run is planned anew, because a plan for an empty queue
 * takes seconds on a long queue. By default the commit does not wait for the disk. If Postgres crashes and loses the
 * commit, the deliveries are sent again.
 */
export const queueTransactions = (sql: CellSql, synchronousCommit: "on" | "off" = "off") => {
  const settings = sql`
    select
      set_config('plan_cache_mode', 'force_custom_plan', true),
      set_config('enable_seqscan', 'off', true),
      set_config('enable_hashjoin', 'off', true),
      set_config('enable_mergejoin', 'off', true),
      set_config('synchronous_commit', ${synchronousCommit}, true)`
  return <A, E, R>(work: Effect.Effect<A, E, R>) => sql.withTransaction(Effect.andThen(settings, work))
}

/**
 * Makes the function that runs statements on the queue in a transaction, one at a time. For statements that may read or
 * write many deliveries: they occupy only one connection, however many calls of companies arrive.
 */
export const queueTransactionsInTurn = Effect.fnUntraced(function* (sql: CellSql) {
  const turn = yield* Semaphore.make(1)
  const inTransaction = queueTransactions(sql, "on")
  // The ranges of BRIN indexes, which need bitmap scans, grow until each range contains almost every time.
  const noBitmaps = sql`select set_config('enable_bitmapscan', 'off', true)`
  return <A, E, R>(work: Effect.Effect<A, E, R>) => turn.withPermits(1)(inTransaction(Effect.andThen(noBitmaps, work)))
})
