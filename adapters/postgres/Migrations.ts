import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { Effect, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"

const tables = new URL("../../sql/", import.meta.url)
const functions = new URL("../../sql/functions/", import.meta.url)

/** Migrations of all processes wait for each other here. */
const oneAtATime = 7_249_014

/** The schema could not be brought up to this version; the database is as it was before. */
class MigrationFailed extends Schema.TaggedError<MigrationFailed>()("MigrationFailed", {
  message: Schema.String
}) {}

interface SqlFile {
  readonly name: string
  readonly body: string
}

const filesOf = (folder: URL): Effect.Effect<ReadonlyArray<SqlFile>> =>
  Effect.promise(async () => {
    const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort()
    return Promise.all(
      names.map(async (name) => ({
        name: name.slice(0, -".sql".length),
        body: await readFile(new URL(name, folder), "utf8")
      }))
    )
  })

const digestOf = ({ body }: SqlFile): string => createHash("sha256").update(body).digest("hex")

// The driver sends one statement at a time, so a file of many goes as the body of a single one.
const run = ({ body }: SqlFile) =>
  SqlClient.SqlClient.pipe(
    Effect.flatMap((sql) => sql.unsafe(`do $migration$ begin execute $body$${body}$body$; end $migration$`).unprepared)
  )

/** Files named `NNNN_name.sql`: each makes its change once. */
const numbered = Effect.map(filesOf(tables), (files) =>
  files.map((file) => ({ ...file, id: Number.parseInt(file.name, 10), title: file.name.slice(5) }))
)

const loader: Migrator.Loader = Effect.map(numbered, (files) =>
  files.map((file) => [file.id, file.title, Effect.succeed(run(file))] as const)
)

const migrateTables = Effect.map(Migrator.make({})({ loader, table: "migration" }), (applied) =>
  applied.map(([id, title]) => `${String(id).padStart(4, "0")}_${title}`)
)

/** The functions that the database does not have, or has in another version. */
const outdated = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql<{ present: boolean }>`select to_regclass('migration_function') is not null as present`
  const rows = table?.present
    ? yield* sql<{ name: string; digest: string }>`select name, digest from migration_function`
    : []
  const known = new Map(rows.map(({ digest, name }) => [name, digest]))
  return (yield* filesOf(functions)).filter((file) => known.get(file.name) !== digestOf(file))
})

// A function has no state, so it is made anew whenever its file has changed.
const migrateFunctions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table if not exists migration_function (name text primary key, digest text not null)`
  return yield* Effect.forEach(yield* outdated, (file) =>
    Effect.gen(function* () {
      yield* run(file)
      yield* sql`
        insert into migration_function (name, digest)
        values (${file.name}, ${digestOf(file)})
        on conflict (name) do update set digest = excluded.digest`
      return `functions/${file.name}`
    })
  )
})

/**
 * Brings the database's schema up to this version, in one transaction: all of it or nothing. Any number of processes
 * may do it at once.
 *
 * @returns the names of the files that were new.
 */
export const migrate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const steps = [Effect.as(sql`select pg_advisory_xact_lock(${oneAtATime})`, []), migrateTables, migrateFunctions]
  return (yield* sql.withTransaction(Effect.all(steps))).flat()
}).pipe(
  Effect.mapError((error) => new MigrationFailed({ message: `the database was not migrated: ${wordsOf(error)}` })),
  Effect.withSpan("Migrations.migrate")
)

/** The message of an error and of what caused it. */
const wordsOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${wordsOf(error.cause)}`
}

/** The names of the files that this version has and the database has not, or has in another version. */
export const pending = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql<{ present: boolean }>`select to_regclass('migration') is not null as present`
  const rows = table?.present ? yield* sql<{ migration_id: number }>`select migration_id from migration` : []
  const applied = new Set(rows.map(({ migration_id }) => migration_id))
  const missing = (yield* numbered).filter(({ id }) => !applied.has(id)).map(({ name }) => name)
  return [...missing, ...(yield* outdated).map(({ name }) => `functions/${name}`)]
})
