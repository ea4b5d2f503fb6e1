import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Reads as of one instant: what changes meanwhile is seen by all of the statements or by none. They may change nothing.
 */
export const inOneSnapshot = <A, E, R>(sql: PgClient.PgClient, reads: Effect.Effect<A, E, R>) =>
  Effect.provideService(
    sql.withTransaction(reads),
    SqlClient.BeginTransaction,
    "begin isolation level repeatable read read only"
  )
