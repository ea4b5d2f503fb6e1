import { Effect, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { advisoryLocks, tableExists } from "../connection/Sql.ts"
import { isForbidden, wordsOf } from "../connection/SqlFailure.ts"
import { isGranted, outdatedFunctions, renewFunctions, renewGrants } from "./Renewals.ts"
import { isAhead, isRecorded, recordVersion } from "./SchemaVersion.ts"
import { notTooOld, PostgresTooOld } from "./ServerVersion.ts"
import { numbered, run } from "./SqlFiles.ts"

/** The migration to this version failed. The database is unchanged. */
class MigrationFailed extends Schema.TaggedError<MigrationFailed>()("MigrationFailed", {
  message: Schema.String
}) {}

/** The login may not read the schema version, so it can do nothing else either. */
class LoginWithoutRole extends Schema.TaggedError<LoginWithoutRole>()("LoginWithoutRole", {
  message: Schema.String
}) {}

const loader: Migrator.Loader = Effect.map(numbered, (files) =>
  files.map((file) => [file.id, file.title, Effect.succeed(run(file))] as const)
)

const migrateTables = Effect.map(Migrator.make({})({ loader, table: "migration" }), (applied) =>
  applied.map(([id, title]) => `${String(id).padStart(4, "0")}_${title}`)
)

/**
 * The names of the files that the database lacks or has in an earlier version. Empty if the schema is of a later
 * version, because later schemas serve this version too.
 */
export const pending = Effect.gen(function* () {
  if (yield* isAhead) return []
  const sql = yield* SqlClient.SqlClient
  const rows = (yield* tableExists(sql, "migration"))
    ? yield* sql<{ migration_id: number }>`select migration_id from migration`
    : []
  const applied = new Set(rows.map(({ migration_id }) => migration_id))
  const missing = (yield* numbered).filter(({ id }) => !applied.has(id)).map(({ name }) => name)
  return [...missing, ...(yield* outdatedFunctions)]
})

// Ignores missing roles. They belong to all databases of the server, so creating them does not make this schema
// outdated.
const isUpToDate = Effect.gen(function* () {
  if (yield* isAhead) return true
  return (yield* isRecorded) && (yield* pending).length === 0 && (yield* isGranted)
})

const withoutRole = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ login: string }>`select current_user::text as login`
  const message = `the login ${row?.login} may not use the tables of the database: grant it saldo_server, or saldo_operator for commands`
  return yield* new LoginWithoutRole({ message })
})

/** Whether this login owns the schema, or may create it. */
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
        'this login may not change the schema: run "saldo migrate" with MIGRATION_DATABASE_URL, the address with a login that may'
    })
  }
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`select pg_advisory_xact_lock(${advisoryLocks.migration})`
      // Locks a table so that Postgres refreshes its catalogue cache. A process that waited for the advisory lock still
      // has the cached result that the tables do not exist.
      yield* sql`select from pg_catalog.pg_class limit 0`
      // Another process may have migrated to a later version while this one waited for the lock.
      if (yield* isAhead) return []
      const files = [...(yield* migrateTables), ...(yield* renewFunctions)]
      yield* recordVersion
      return [...files, ...(yield* renewGrants)]
    })
  )
})

/**
 * Migrates the schema to this version in one transaction. Any number of processes may run it at once. A role without
 * rights succeeds if nothing needs to change. A later schema stays as it is, so that a rollback of the program does not
 * restore old functions.
 *
 * @returns the names of the new files.
 */
export const migrate = Effect.andThen(notTooOld, isUpToDate).pipe(
  Effect.catchIf(isForbidden, () => withoutRole),
  Effect.flatMap((already) => (already ? Effect.succeed([]) : bringUp)),
  Effect.mapError((error) =>
    error instanceof LoginWithoutRole || error instanceof PostgresTooOld
      ? error
      : new MigrationFailed({ message: `the database was not migrated: ${wordsOf(error)}` })
  ),
  Effect.withSpan("Migrations.migrate")
)
