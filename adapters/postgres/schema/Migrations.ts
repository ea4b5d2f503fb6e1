import { Context, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../connection/Database.ts"
import { mainNode, Nodes, NodeUnknown } from "../connection/Nodes.ts"
import { advisoryLocks } from "../connection/Sql.ts"
import { isForbidden, isUnreachable, wordsOf } from "../connection/SqlFailure.ts"
import { spreadIds, spreadIdsOn } from "./CellIds.ts"
import { notTooOld, PostgresTooOld } from "./ServerVersion.ts"
import { run, type SqlFile, type SqlFileSet, sqlFiles } from "./SqlFiles.ts"

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

/** The version of the database's schema, 0 if the database is empty. */
const recordedVersion = Effect.gen(function* () {
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
  if (found?.version !== true) return 0
  const [row] = yield* sql<{ version: number }>`select max(version) as version from directory.schema_version`
  return row?.version ?? 0
})

/** The digest of each file of the schema when it ran. Each schema has its own record. */
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
const changesIn = Effect.fnUntraced(function* (schema: string, { functions, once, roles }: SqlFileSet) {
  const digests = yield* digestsOf(schema)
  const hasChanged = ({ digest, name }: SqlFile) => digests.get(name) !== digest
  const files = [...once.filter(({ name }) => !digests.has(name)), ...functions.filter(hasChanged)]
  // A function that is created again loses its grants, and a new table has none.
  return hasChanged(roles) && (yield* hasRoles) ? [...files, roles] : files
})

/** A cell as a migration sees it. */
interface CellPlace {
  readonly name: string
  readonly ordinal: number
  readonly node: string
}

/**
 * The cells of the directory, in the order of their ordinals. Reads the nodes from the row as JSON, because the directory
 * of an earlier version has no nodes.
 */
export const cellPlaces = SqlClient.SqlClient.use(
  (sql) => sql<CellPlace>`
    select name, ordinal, coalesce(to_jsonb(c) ->> 'node', ${mainNode}) as node
    from directory.cell as c
    order by ordinal`
)

/** Runs a part of a migration on the node of a cell. The outer connection is that of the directory. */
export const onNode =
  (node: string) =>
  <A, E, R>(part: Effect.Effect<A, E, R>) =>
    node === mainNode
      ? part
      : Effect.flatMap(Nodes, ({ connect }) =>
          Effect.flatMap(connect(node), (clients) =>
            Effect.provideService(part, SqlClient.SqlClient, Context.get(clients, SqlClient.SqlClient))
          )
        )

/** A part of the schema with files to run. */
interface Changes {
  readonly schema: string
  readonly files: ReadonlyArray<SqlFile>
}

/** The directory's files that have to run, and whether the directory has this version or a later one. */
const directoryChanges = Effect.gen(function* () {
  const { directory, versions } = yield* sqlFiles
  const own = versions.at(-1)?.version ?? 0
  const version = yield* recordedVersion
  const isAhead = version > own
  const files = isAhead ? [] : yield* changesIn("directory", directory)
  return { schema: "directory", files, own, isAhead, isRecorded: version >= own }
})

/** Leaves out the cell if its node does not answer. The schemas of all other cells are still checked. */
const unlessDown = <A, E, R>(
  { name, node }: CellPlace,
  part: Effect.Effect<ReadonlyArray<A>, E, R>
): Effect.Effect<ReadonlyArray<A>, Exclude<E, DatabaseUnavailable>, R> =>
  Effect.catch(part, (error) => {
    if (node === mainNode || !isUnreachable(error)) return Effect.fail(error as Exclude<E, DatabaseUnavailable>)
    const facts = { cell: name, node, error: wordsOf(error) }
    return Effect.as(Effect.logWarning("the schema of a cell was not checked: its node does not answer", facts), [])
  })

/** The files of each cell that have to run there. The directory has this version. */
const cellChanges = Effect.gen(function* () {
  const { cell } = yield* sqlFiles
  const changed = yield* Effect.forEach(yield* cellPlaces, (place) =>
    unlessDown(
      place,
      Effect.map(changesIn(place.name, cell), (files): ReadonlyArray<Changes> => [{ schema: place.name, files }]).pipe(
        onNode(place.node)
      )
    )
  )
  return changed.flat()
})

/** Whether a later version of Saldo has made the schema. This version then uses it and changes nothing. */
export const isAhead = Effect.map(directoryChanges, (change) => change.isAhead)

const namesOf = ({ files, schema }: Changes): ReadonlyArray<string> => files.map(({ name }) => `${schema}/${name}`)

/** What has to run in this database. The cells' changes are known once the directory has this version. */
const changes = Effect.gen(function* () {
  const directory = yield* directoryChanges
  if (directory.isAhead) return []
  return directory.isRecorded && directory.files.length === 0
    ? (yield* cellChanges).filter(({ files }) => files.length > 0)
    : [directory]
})

/** Names of the files that have never run in this database, or that ran there with another text. */
export const pending = Effect.map(changes, (parts) => parts.flatMap(namesOf))

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
export const mayMigrate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ may: boolean }>`
    select coalesce(
      (select pg_has_role(nspowner, 'USAGE') from pg_namespace where nspname = 'directory'),
      has_database_privilege(current_database(), 'CREATE')
    ) as may`
  return row?.may === true
})

/** Runs files in a schema and records them. The search path of a cell's files is the cell. */
const apply = Effect.fnUntraced(function* ({ files, schema }: Changes) {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(
    files,
    Effect.fnUntraced(function* (file) {
      yield* run(file)
      yield* sql`
        insert into ${sql(schema)}.schema_file (name, digest)
        values (${file.name}, ${file.digest})
        on conflict (name) do update set digest = excluded.digest`
    }),
    { discard: true }
  )
})

/** Runs a part of the migration in one transaction, when no other process migrates. */
export const exclusively = <A, E, R>(part: Effect.Effect<A, E, R>) =>
  SqlClient.SqlClient.use((sql) =>
    sql.withTransaction(Effect.andThen(sql`select pg_advisory_xact_lock(${advisoryLocks.migration})`, part))
  )

// Reads the changes again, because another process may have migrated while this process waited for the lock.
const bringUpDirectory = exclusively(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const directory = yield* directoryChanges
    if (directory.isAhead) return []
    yield* apply(directory)
    yield* sql`insert into directory.schema_version (version) values (${directory.own}) on conflict do nothing`
    return namesOf(directory)
  })
)

/**
 * Brings a cell up to this version, on the connection of its node.
 *
 * @param spread gives the sequences of the cell their ids.
 */
export const bringUpCell = <E, R>(name: string, spread: Effect.Effect<unknown, E, R>) =>
  exclusively(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { cell } = yield* sqlFiles
      yield* sql`create schema if not exists ${sql(name)}`
      yield* sql`create table if not exists ${sql(name)}.schema_file (name text primary key, digest text not null)`
      yield* sql`comment on table ${sql(name)}.schema_file is 'The files of sql/ that created this cell.'`
      yield* sql`select set_config('search_path', ${`${name}, pg_temp`}, true)`
      const change = { schema: name, files: yield* changesIn(name, cell) }
      yield* apply(change)
      yield* spread
      return namesOf(change)
    })
  )

const bringUp = Effect.gen(function* () {
  if (!(yield* mayMigrate)) {
    return yield* new MigrationFailed({
      message:
        'this login may not change the schema: run "saldo migrate" with MIGRATION_DATABASE_URL, the address with a login that may'
    })
  }
  const directory = yield* bringUpDirectory
  if (yield* isAhead) return directory
  const cells = yield* Effect.forEach(yield* cellPlaces, (place) => {
    const spread = place.node === mainNode ? spreadIds : spreadIdsOn(place.name, place.ordinal, new Map())
    return unlessDown(place, onNode(place.node)(bringUpCell(place.name, spread)))
  })
  return [...directory, ...cells.flat()]
})

/**
 * Migrates the database's schema to this version: the directory, then each cell in a transaction of its own. A migration
 * that was interrupted continues with the first cell that lacks a file. Several processes may migrate at once. A login
 * without the right to change the schema succeeds if nothing has to change.
 *
 * Does not change a schema of a later version. A server that returns to the previous version must not restore the
 * previous functions, because newer servers may still run.
 *
 * @returns the names of the files that ran, each after the name of its schema.
 */
export const migrate = Effect.andThen(notTooOld, changes).pipe(
  Effect.catchIf(isForbidden, () => withoutRole),
  Effect.flatMap((parts) => (parts.length === 0 ? Effect.succeed([]) : bringUp)),
  Effect.mapError((error) =>
    error instanceof LoginWithoutRole ||
    error instanceof NodeUnknown ||
    error instanceof PostgresTooOld ||
    error instanceof SchemaUnreleased
      ? error
      : new MigrationFailed({ message: `the database was not migrated: ${wordsOf(error)}` })
  ),
  Effect.withSpan("Migrations.migrate")
)
