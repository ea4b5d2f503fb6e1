import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { advisoryLocks } from "../connection/Sql.ts"
import { run, type SqlFile, type SqlFileSet, sqlFiles } from "./SqlFiles.ts"

/** The digest that each file of the schema had when it ran last. Each schema has its own record. */
const digestsOf = Effect.fnUntraced(function* (schema: string) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql`
    select
    from pg_class as c
    join pg_namespace as n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relname = 'schema_file'`
  if (found === undefined) return new Map<string, string>()
  const files = yield* sql<{ name: string; digest: string }>`select name, digest from ${sql(schema)}.schema_file`
  return new Map(files.map(({ digest, name }) => [name, digest]))
})

/** Whether the roles exist or can be made by this login. */
const hasRoles = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ possible: boolean }>`
    select
      (select rolsuper or rolcreaterole from pg_roles where rolname = current_user)
      or (select count(*) = 3 from pg_roles where rolname in ('saldo_reader', 'saldo_server', 'saldo_operator'))
      as possible`
  return row?.possible === true
})

/** The files of a set that have to run in a schema. */
export const changesIn = Effect.fnUntraced(function* (schema: string, { functions, once, roles }: SqlFileSet) {
  const digests = yield* digestsOf(schema)
  const hasChanged = ({ digest, name }: SqlFile) => digests.get(name) !== digest
  const files = [...once.filter(({ name }) => !digests.has(name)), ...functions.filter(hasChanged)]
  // The grants run again if any file has changed, because a function that is created again loses its grants,
  // and a new table has none.
  return hasChanged(roles) && (yield* hasRoles) ? [...files, roles] : files
})

/** A part of the schema with files to run. */
export interface Changes {
  readonly schema: string
  readonly files: ReadonlyArray<SqlFile>
}

/** Names of the files, each after the name of its schema. */
export const namesOf = ({ files, schema }: Changes): ReadonlyArray<string> =>
  files.map(({ name }) => `${schema}/${name}`)

/**
 * Runs files in a schema and records them. The files of a cell run with the cell's schema as the search path.
 *
 * @param runFile runs one file. A distributed schema needs its own function.
 */
export const apply = Effect.fnUntraced(function* <E, R>(
  { files, schema }: Changes,
  runFile: (file: SqlFile) => Effect.Effect<unknown, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(
    files,
    Effect.fnUntraced(function* (file) {
      yield* runFile(file)
      yield* sql`
        insert into ${sql(schema)}.schema_file (name, digest)
        values (${file.name}, ${file.digest})
        on conflict (name) do update set digest = excluded.digest`
    }),
    { discard: true }
  )
})

/**
 * Runs a part of the migration in one transaction, as soon as no other process migrates. The setting tells Citus not to
 * repeat the part's statements on other nodes. It has no effect without Citus.
 */
export const exclusively = <A, E, R>(part: Effect.Effect<A, E, R>) =>
  SqlClient.SqlClient.use((sql) =>
    sql.withTransaction(
      Effect.andThen(
        sql`
          select pg_advisory_xact_lock(${advisoryLocks.migration}), set_config('citus.enable_ddl_propagation', 'off', true)`,
        part
      )
    )
  )

/**
 * Brings a cell up to this version, on the connection of its node.
 *
 * @param atEnd runs at the end of the same transaction. It sets which ids the sequences of the cell assign.
 */
export const bringUpCell = <E, R, E2 = never, R2 = never>(
  name: string,
  atEnd: Effect.Effect<unknown, E, R>,
  runFile: (file: SqlFile) => Effect.Effect<unknown, E2 | SqlError, R2 | SqlClient.SqlClient> = run
) =>
  exclusively(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { cell } = yield* sqlFiles
      yield* sql`create schema if not exists ${sql(name)}`
      yield* sql`create table if not exists ${sql(name)}.schema_file (name text primary key, digest text not null)`
      yield* sql`comment on table ${sql(name)}.schema_file is 'The files of sql/ that created this cell.'`
      yield* sql`select set_config('search_path', ${`${name}, pg_temp`}, true)`
      const change = { schema: name, files: yield* changesIn(name, cell) }
      yield* apply(change, runFile)
      yield* atEnd
      return namesOf(change)
    })
  )
