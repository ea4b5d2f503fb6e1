import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { advisoryLocks } from "../connection/Sql.ts"
import { isForbidden, wordsOf } from "../connection/SqlFailure.ts"
import { notTooOld, PostgresTooOld } from "./ServerVersion.ts"
import { run, type SqlFile, sqlFiles } from "./SqlFiles.ts"

/** The migration to this version failed. The database is unchanged. */
class MigrationFailed extends Schema.TaggedError<MigrationFailed>()("MigrationFailed", {
  message: Schema.String
}) {}

/** The login may not read the schema version. Without this right it cannot use the database at all. */
class LoginWithoutRole extends Schema.TaggedError<LoginWithoutRole>()("LoginWithoutRole", {
  message: Schema.String
}) {}

/** The schema was made before the first release. No migration leads from there to this version. */
class SchemaUnreleased extends Schema.TaggedError<SchemaUnreleased>()("SchemaUnreleased", {
  message: Schema.String
}) {}

const schemaUnreleased = new SchemaUnreleased({
  message:
    "the database was made by an unreleased version of Saldo and cannot be migrated; nothing was changed: point DATABASE_URL at a new empty database, or remove DATA_DIR"
})

/** The version of the database's schema, 0 if the database is empty, and the digest of each file when it ran. */
const recorded = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Reads the system tables. The answer of to_regclass may be a cached one from before the wait for the lock.
  const [found] = yield* sql<{ tables: boolean; version: boolean }>`
    select
      exists (select from pg_namespace where nspname = 'cell') as tables,
      exists (
        select
        from pg_class as c
        join pg_namespace as n on n.oid = c.relnamespace
        where n.nspname = 'directory' and c.relname = 'schema_version'
      ) as version`
  if (found?.tables === true && !found.version) return yield* schemaUnreleased
  if (found?.version !== true) return { version: 0, digests: new Map<string, string>() }
  const [row] = yield* sql<{ version: number }>`select max(version) as version from directory.schema_version`
  const files = yield* sql<{ name: string; digest: string }>`select name, digest from directory.schema_file`
  return { version: row?.version ?? 0, digests: new Map(files.map(({ digest, name }) => [name, digest])) }
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

/** The files of this version that have to run in the database. None if the schema has a later version. */
const changes = Effect.gen(function* () {
  const { functions, once, roles, versions } = yield* sqlFiles
  const own = versions.at(-1)?.version ?? 0
  const { digests, version } = yield* recorded
  if (version > own) return { isAhead: true, own, isRecorded: true, files: [], roles: null }
  const hasChanged = ({ digest, name }: SqlFile) => digests.get(name) !== digest
  return {
    isAhead: false,
    own,
    isRecorded: version === own,
    files: [...once.filter(({ name }) => !digests.has(name)), ...functions.filter(hasChanged)],
    // A function that is created again loses its grants, and a new table has none.
    roles: hasChanged(roles) && (yield* hasRoles) ? roles : null
  }
})

/** Whether a later version of Saldo has made the schema. This version then uses it and changes nothing. */
export const isAhead = Effect.map(changes, (change) => change.isAhead)

/** Names of the files that have never run in this database, or that ran there with another text. */
export const pending = Effect.map(changes, ({ files }) => files.map(({ name }) => name))

const withoutRole = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ login: string }>`select current_user::text as login`
  const message = `the login ${row?.login} may not use the tables of the database: grant it saldo_server, or saldo_operator for commands`
  return yield* new LoginWithoutRole({ message })
})

/** Fails if the login may not do what commands do, for example because it is the login of a server. */
export const requireOperatorRole = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ login: string; may: boolean }>`
    select current_user::text as login, has_table_privilege('directory.operator', 'SELECT') as may`
  if (row?.may === true) return
  const message = `the login ${row?.login} may not run commands: use a login with the role saldo_operator`
  return yield* new LoginWithoutRole({ message })
})

/** Whether this login owns the schema, or may create it. */
const mayMigrate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ may: boolean }>`
    select coalesce(
      (select pg_has_role(nspowner, 'USAGE') from pg_namespace where nspname = 'directory'),
      has_database_privilege(current_database(), 'CREATE')
    ) as may`
  return row?.may === true
})

/** Runs a file and records it. */
const apply = Effect.fnUntraced(function* (file: SqlFile) {
  const sql = yield* SqlClient.SqlClient
  yield* run(file)
  yield* sql`
    insert into directory.schema_file (name, digest)
    values (${file.name}, ${file.digest})
    on conflict (name) do update set digest = excluded.digest`
})

const bringUp = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* mayMigrate)) {
    return yield* new MigrationFailed({
      message:
        'this login may not change the schema: run "saldo migrate" with MIGRATION_DATABASE_URL, the address with a login that may'
    })
  }
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`select pg_advisory_xact_lock(${advisoryLocks.migration})`
      // Reads the changes again, because another process may have migrated while this process waited for the lock.
      const { files, isAhead, own, roles } = yield* changes
      if (isAhead) return []
      const all = roles === null ? files : [...files, roles]
      yield* Effect.forEach(all, apply, { discard: true })
      yield* sql`insert into directory.schema_version (version) values (${own}) on conflict do nothing`
      return all.map(({ name }) => name)
    })
  )
})

/**
 * Migrates the database's schema to this version in one transaction. Several processes may do so at once. A login
 * without the right to change the schema succeeds if nothing has to change.
 *
 * Does not change a schema of a later version. A server that returns to the previous version must not restore the
 * previous functions, because newer servers may still run.
 *
 * @returns the names of the files that ran.
 */
export const migrate = Effect.andThen(notTooOld, changes).pipe(
  Effect.catchIf(isForbidden, () => withoutRole),
  Effect.flatMap(({ files, isRecorded, roles }) =>
    isRecorded && files.length === 0 && roles === null ? Effect.succeed([]) : bringUp
  ),
  Effect.mapError((error) =>
    error instanceof LoginWithoutRole || error instanceof PostgresTooOld || error instanceof SchemaUnreleased
      ? error
      : new MigrationFailed({ message: `the database was not migrated: ${wordsOf(error)}` })
  ),
  Effect.withSpan("Migrations.migrate")
)
