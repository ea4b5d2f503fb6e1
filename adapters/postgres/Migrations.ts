import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { basename } from "node:path"
import { Context, Effect, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { isForbidden, wordsOf } from "./SqlFailure.ts"
import { isThere } from "./Tables.ts"

/** Where this version has its schema: migrations, functions, roles and the list of versions. */
export const SqlFolder = Context.Reference<URL>("saldo/adapters/postgres/SqlFolder", {
  defaultValue: () => new URL("../../sql/", import.meta.url)
})

const inFolder = (path: string) => Effect.map(SqlFolder, (folder) => new URL(path, folder))

/** Migrations of all processes wait for each other here. */
const oneAtATime = 7_249_014

/** The schema could not be brought up to this version; the database is as it was before. */
class MigrationFailed extends Schema.TaggedError<MigrationFailed>()("MigrationFailed", {
  message: Schema.String
}) {}

/** Who cannot even read which version the schema has can do nothing else with it. */
class LoginWithoutRole extends Schema.TaggedError<LoginWithoutRole>()("LoginWithoutRole", {
  message: Schema.String
}) {}

interface SqlFile {
  readonly name: string
  readonly body: string
}

const filesOf = (folder: URL): Effect.Effect<ReadonlyArray<SqlFile>> =>
  Effect.promise(async () => {
    const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort()
    return Promise.all(names.map((name) => fileOf(new URL(name, folder))))
  })

const tables = Effect.flatMap(SqlFolder, filesOf)
const functions = Effect.flatMap(inFolder("functions/"), filesOf)

const fileOf = async (file: URL): Promise<SqlFile> => ({
  name: basename(file.pathname, ".sql"),
  body: await readFile(file, "utf8")
})

const digestOf = ({ body }: SqlFile): string => createHash("sha256").update(body).digest("hex")

/** The digest of the whole schema. */
export const digestOfAll = Effect.gen(function* () {
  const all = [...(yield* tables), ...(yield* functions)]
  return createHash("sha256").update(all.map(digestOf).join()).digest("hex")
})

/** The versions of the schema, oldest first: each has one more than the one before it, and the digest that it had. */
export const knownVersions = Effect.gen(function* () {
  const file = yield* inFolder("versions.txt")
  const lines = (yield* Effect.promise(() => readFile(file, "utf8"))).split("\n").filter((line) => /^\d/.test(line))
  return lines.map((line) => {
    const [version, digest = ""] = line.split(" ")
    return { version: Number(version), digest }
  })
})

const ownVersion = Effect.map(knownVersions, (all) => all.at(-1)?.version ?? 0)

/** The version that the database has: 0 while it has none, or one from before there were numbers. */
const versionThere = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* isThere(sql, "migration_version"))) return 0
  const [row] = yield* sql<{ version: number }>`select coalesce(max(version), 0) as version from migration_version`
  return row?.version ?? 0
})

/** Is the database's schema of a later version than this one? Then it is that version's to change. */
export const isAhead = Effect.zipWith(versionThere, ownVersion, (there, own) => there > own)

const recordVersion = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table if not exists migration_version (version int primary key)`
  yield* sql`insert into migration_version (version) values (${yield* ownVersion}) on conflict do nothing`
})

// The driver sends one statement at a time, so a file of many goes as the body of a single one.
const run = ({ body }: SqlFile) =>
  SqlClient.SqlClient.pipe(
    Effect.flatMap((sql) => sql.unsafe(`do $migration$ begin execute $body$${body}$body$; end $migration$`).unprepared)
  )

/** Files named `NNNN_name.sql`: each makes its change once. */
const numbered = Effect.map(tables, (files) =>
  files
    .filter(({ name }) => /^\d{4}_/.test(name))
    .map((file) => ({ ...file, id: Number.parseInt(file.name, 10), title: file.name.slice(5) }))
)

const loader: Migrator.Loader = Effect.map(numbered, (files) =>
  files.map((file) => [file.id, file.title, Effect.succeed(run(file))] as const)
)

const migrateTables = Effect.map(Migrator.make({})({ loader, table: "migration" }), (applied) =>
  applied.map(([id, title]) => `${String(id).padStart(4, "0")}_${title}`)
)

/** The digests of the files that were run, each as it was then. */
const known = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = (yield* isThere(sql, "migration_function"))
    ? yield* sql<{ name: string; digest: string }>`select name, digest from migration_function`
    : []
  return new Map(rows.map(({ digest, name }) => [name, digest]))
})

/** Runs what may be run any number of times, and remembers what it was. */
const renew = Effect.fnUntraced(function* (file: SqlFile, digest: string) {
  const sql = yield* SqlClient.SqlClient
  yield* run(file)
  yield* sql`
    insert into migration_function (name, digest)
    values (${file.name}, ${digest})
    on conflict (name) do update set digest = excluded.digest`
})

/** The functions that the database does not have, or has in another version. */
const outdated = Effect.gen(function* () {
  const digests = yield* known
  return (yield* functions).filter((file) => digests.get(file.name) !== digestOf(file))
})

// A function has no state, so it is made anew whenever its file has changed.
const migrateFunctions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table if not exists migration_function (name text primary key, digest text not null)`
  return yield* Effect.forEach(yield* outdated, (file) =>
    Effect.as(renew(file, digestOf(file)), `functions/${file.name}`)
  )
})

/** What is granted on the whole of this version, and its digest; null where there are no roles and none can be made. */
const ungranted = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [roles] = yield* sql<{ possible: boolean }>`
    select
      (select rolsuper or rolcreaterole from pg_roles where rolname = current_user)
      or (select count(*) = 3 from pg_roles where rolname in ('saldo_reader', 'saldo_server', 'saldo_operator'))
      as possible`
  if (roles?.possible !== true) return null
  const grants = yield* inFolder("roles.sql")
  const file = yield* Effect.promise(() => fileOf(grants))
  const digest = yield* digestOfAll
  return (yield* known).get(file.name) === digest ? null : { file, digest }
})

// A function that is made anew has lost what was granted on it, and a new table has nothing granted on it yet.
const migrateGrants = Effect.gen(function* () {
  const wanted = yield* ungranted
  if (wanted === null) return []
  yield* renew(wanted.file, wanted.digest)
  return [wanted.file.name]
})

/**
 * The names of the files that this version has and the database has not, or has in an earlier version. None where the
 * schema is of a later version: that has all of them, and its functions serve this version too.
 */
export const pending = Effect.gen(function* () {
  if (yield* isAhead) return []
  const sql = yield* SqlClient.SqlClient
  const rows = (yield* isThere(sql, "migration"))
    ? yield* sql<{ migration_id: number }>`select migration_id from migration`
    : []
  const applied = new Set(rows.map(({ migration_id }) => migration_id))
  const missing = (yield* numbered).filter(({ id }) => !applied.has(id)).map(({ name }) => name)
  return [...missing, ...(yield* outdated).map(({ name }) => `functions/${name}`)]
})

// The roles belong to all databases of the server: that somebody makes them does not put this one behind.
const isUpToDate = Effect.gen(function* () {
  if (yield* isAhead) return true
  const recorded = (yield* versionThere) === (yield* ownVersion)
  return recorded && (yield* pending).length === 0 && (yield* ungranted) === null
})

const withoutRole = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ login: string }>`select current_user::text as login`
  const message = `the login ${row?.login} may not use the tables of the database: grant saldo_server to it, or saldo_operator for commands`
  return yield* new LoginWithoutRole({ message })
})

/** Whether this login may make the schema, or owns the one that is there. */
const mayMigrate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ may: boolean }>`
    select coalesce(
      (select pg_has_role(relowner, 'USAGE') from pg_class where oid = to_regclass('migration')),
      has_database_privilege(current_database(), 'CREATE')
    ) as may`
  return row?.may === true
})

const bringUp = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* mayMigrate)) {
    return yield* new MigrationFailed({
      message:
        'this login may not change it: run "saldo migrate" with MIGRATION_DATABASE_URL, the address by one that may'
    })
  }
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`select pg_advisory_xact_lock(${oneAtATime})`
      // Whoever had to wait has looked for the tables before, and Postgres still knows that they were not there: it hears
      // of what others made when it locks a table, and the lock above is none.
      yield* sql`select from pg_catalog.pg_class limit 0`
      // A later version may have come while this one waited for the lock.
      if (yield* isAhead) return []
      const files = [...(yield* migrateTables), ...(yield* migrateFunctions)]
      yield* recordVersion
      return [...files, ...(yield* migrateGrants)]
    })
  )
})

/**
 * Brings the database's schema up to this version, in one transaction: all of it or nothing. Any number of processes
 * may do it at once. A role that may change nothing may do it where nothing is to be changed. A schema of a later
 * version stays as it is: a process that goes back to the version before must not put that one's functions back.
 *
 * @returns the names of the files that were new.
 */
export const migrate = isUpToDate.pipe(
  Effect.catchIf(isForbidden, () => withoutRole),
  Effect.flatMap((already) => (already ? Effect.succeed([]) : bringUp)),
  Effect.mapError((error) =>
    error instanceof LoginWithoutRole
      ? error
      : new MigrationFailed({ message: `the database was not migrated: ${wordsOf(error)}` })
  ),
  Effect.withSpan("Migrations.migrate")
)
