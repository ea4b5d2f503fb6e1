import { readdir, readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { Effect, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"

const folder = new URL("../../sql/", import.meta.url)

/** Migrations of all processes wait for each other here. */
const oneAtATime = 7_249_014

/** The schema could not be brought up to this version; the database is as it was before. */
class MigrationFailed extends Schema.TaggedError<MigrationFailed>()("MigrationFailed", {
  message: Schema.String
}) {}

/** A file of sql/ named `NNNN_name.sql`. */
export interface Migration {
  readonly id: number
  readonly name: string
}

/** The migrations that this version of Saldo knows, in their order. */
const known: Effect.Effect<ReadonlyArray<Migration & { readonly file: URL }>> = Effect.promise(async () => {
  const files = await readdir(fileURLToPath(folder))
  return files.sort().flatMap((file) => {
    const [, id, name] = /^(\d{4})_(\w+)\.sql$/.exec(file) ?? []
    return id === undefined || name === undefined ? [] : [{ id: Number(id), name, file: new URL(file, folder) }]
  })
})

// The driver sends one statement at a time, so a file of many goes as the body of a single one.
const run = Effect.fnUntraced(function* (file: URL) {
  const sql = yield* SqlClient.SqlClient
  const body = yield* Effect.promise(() => readFile(file, "utf8"))
  yield* sql.unsafe(`do $migration$ begin execute $body$${body}$body$; end $migration$`).unprepared
})

const loader: Migrator.Loader = Effect.map(known, (migrations) =>
  migrations.map(({ file, id, name }) => [id, name, Effect.succeed(run(file))] as const)
)

/**
 * Brings the database's schema up to this version, in one transaction: all of it or nothing. Any number of processes
 * may do it at once.
 *
 * @returns what was new.
 */
export const migrate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const applied = yield* sql.withTransaction(
    Effect.andThen(sql`select pg_advisory_xact_lock(${oneAtATime})`, Migrator.make({})({ loader, table: "migration" }))
  )
  return applied.map(([id, name]): Migration => ({ id, name }))
}).pipe(
  Effect.mapError((error) => new MigrationFailed({ message: `the database was not migrated: ${wordsOf(error)}` })),
  Effect.withSpan("Migrations.migrate")
)

/** The message of an error and of what caused it. */
const wordsOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${wordsOf(error.cause)}`
}

/** What this version knows and the database does not have yet. */
export const pending = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql<{ present: boolean }>`select to_regclass('migration') is not null as present`
  const rows = table?.present ? yield* sql<{ migration_id: number }>`select migration_id from migration` : []
  const applied = new Set(rows.map(({ migration_id }) => migration_id))
  return (yield* known).filter(({ id }) => !applied.has(id)).map(({ id, name }): Migration => ({ id, name }))
})
