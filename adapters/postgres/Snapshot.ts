import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Runs read-only statements in one snapshot, so that all of them see the same state. */
export const inOneSnapshot = <A, E, R>(sql: PgClient.PgClient, reads: Effect.Effect<A, E, R>) =>
  Effect.provideService(
    sql.withTransaction(reads),
    SqlClient.BeginTransaction,
    "begin isolation level repeatable read read only"
  )
