import { type PgClient, PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Predicate } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

/**
 * The keys of the advisory locks that have one key, in one place so that they differ. The functions in sql/ lock with two
 * keys, and such a lock never equals a lock with one key. The first of the two keys is 7_249_016 for the references of
 * deposits and adjustments, 7_249_017 for closings, 7_249_021 for moves of companies, and 7_249_022 for moves of cells.
 */
export const advisoryLocks = {
  /** Every process that uses an embedded server holds this lock in shared mode for as long as it uses the server. */
  embeddedServer: 7_249_013,
  /** Serializes migrations of all processes. */
  migration: 7_249_014,
  /** Serializes processes that configure credentials for one company. */
  configuredTokens: 7_249_015,
  /** Serializes changes that could leave no admin. */
  operatorRoles: 7_249_017,
  /** Serializes attempts to sign in, so that each of several concurrent attempts counts the others. */
  signInAttempts: 7_249_018,
  /** Serializes comparisons of statements of providers. */
  statements: 7_249_020
}

/** Reads a nullable timestamp. */
export const instantOrNull = (value: Date | null): DateTime.Utc | null =>
  value === null ? null : DateTime.fromDateUnsafe(value)

/** Reads a nullable bigint as a number. */
export const numberOrNull = (value: bigint | null): number | null => (value === null ? null : Number(value))

/** A bigint parameter. Without the explicit type, the driver declares small numbers as int4. */
export const int8 = (value: bigint | number | null): PgTypes.Parameter =>
  PgTypes.int8(value === null ? null : BigInt(value))

/** A timestamp parameter, in milliseconds. */
export const instant = (at: DateTime.Utc | null): PgTypes.Parameter =>
  PgTypes.timestamptz(at === null ? null : DateTime.toEpochMillis(at))

/** Runs read-only statements in one snapshot, so that all of them see the same state. */
export const inOneSnapshot = <A, E, R>(sql: PgClient.PgClient, reads: Effect.Effect<A, E, R>) =>
  Effect.provideService(
    sql.withTransaction(reads),
    SqlClient.BeginTransaction,
    "begin isolation level repeatable read read only"
  )

/** Whether a table, view or index with this name exists. */
export const tableExists = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, name: string) {
  const [table] = yield* sql<{ present: boolean }>`select to_regclass(${name}) is not null as present`
  return table?.present === true
})

/** Whether the error violates the unique constraint with this name. */
export const violatesUnique = (error: SqlError, constraint: string): boolean =>
  error.reason._tag === "UniqueViolation" && error.reason.constraint === constraint

/** Whether the error violates the check or the foreign key with this name, or comes from a trigger with this name. */
export const violatesConstraint = ({ reason: { cause } }: SqlError, constraint: string): boolean =>
  Predicate.hasProperty(cause, "constraint") && cause.constraint === constraint

/** Whether the database accepts writes. A standby does not, nor does a database in read-only mode. */
export const isWritable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ writable: boolean }>`
    select not pg_is_in_recovery() and not current_setting('default_transaction_read_only')::bool as writable`
  return row?.writable ?? false
})
