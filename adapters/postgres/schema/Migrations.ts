import { Context, Duration, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DatabaseUnavailable } from "../connection/Database.ts"
import { mainNode, Nodes, NodeUnknown } from "../connection/Nodes.ts"
import { isForbidden, isLost, wordsOf } from "../connection/SqlFailure.ts"
import { spreadIds, spreadIdsOn } from "./CellIds.ts"
import { asWorker, bringUpInCluster, bringUpOnWorker, coordinates, isOnShards } from "./CitusCell.ts"
import { apply, bringUpCell, type Changes, changesIn, exclusively, namesOf } from "./SchemaChanges.ts"
import { notTooOld, PostgresTooOld } from "./ServerVersion.ts"
import { run, sqlFiles } from "./SqlFiles.ts"

/** The migration to this version failed. The database is unchanged. */
class MigrationFailed extends Schema.TaggedError<MigrationFailed>()("MigrationFailed", {
  message: Schema.String
}) {}

/** The login may not read the schema version. Without this right it cannot use the database at all. */
class LoginWithoutRole extends Schema.TaggedError<LoginWithoutRole>()("LoginWithoutRole", {
  message: Schema.String
}) {}

/** The schema was made before the first release. No migration leads from that schema to this version. */
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
  // Reads the system tables, because to_regclass may return a cached result from before the wait for the lock.
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

/** Runs a part of a migration on the node of a cell. The outer connection is the connection to the directory. */
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

/** A node as a worker of the Citus cluster that main coordinates. Null if the node is no such worker. */
export const workerOf = Effect.fnUntraced(function* (node: string) {
  const worker = yield* onNode(node)(asWorker)
  return worker !== null && (yield* coordinates(worker)) ? worker : null
})

/** Brings a cell on another node up to this version. */
const bringUpOnNode = Effect.fnUntraced(function* <E, R>(
  { name, node }: CellPlace,
  spread: Effect.Effect<unknown, E, R>
) {
  const isInCluster = (yield* onNode(node)(isOnShards(name))) && (yield* workerOf(node)) !== null
  if (!isInCluster) return yield* onNode(node)(bringUpCell(name, spread))
  // This update fails while a move has frozen the cell. No other check prevents a migration of the cell's tables in the
  // cluster.
  yield* onNode(node)(SqlClient.SqlClient.use((sql) => sql`update ${sql(name)}.schema_file set digest = digest`))
  yield* bringUpInCluster(name, node)
  return yield* onNode(node)(bringUpOnWorker(name, node, spread))
})

/**
 * The directory's files that have to run. `isAhead`: the directory has a later version. `isRecorded`: it has this version
 * or a later one.
 */
const directoryChanges = Effect.gen(function* () {
  const { directory, versions } = yield* sqlFiles
  const own = versions.at(-1)?.version ?? 0
  const version = yield* recordedVersion
  const isAhead = version > own
  const files = isAhead ? [] : yield* changesIn("directory", directory)
  return { schema: "directory", files, own, isAhead, isRecorded: version >= own }
})

/** How long a check of the schemas waits for another node. */
export const CheckTimeout = Context.Reference<Duration.Duration>("saldo/adapters/CheckTimeout", {
  defaultValue: () => Duration.infinity
})

const unanswered = new DatabaseUnavailable({ message: "the node has not answered in time", answers: false })

/** Leaves out the cell if the cell's node does not answer in time. The schemas of all other cells are still checked. */
const unlessDown = <A, E, R>(
  { name, node }: CellPlace,
  part: Effect.Effect<ReadonlyArray<A>, E, R>,
  duration: Duration.Duration = Duration.infinity
): Effect.Effect<ReadonlyArray<A>, Exclude<E, DatabaseUnavailable>, R> =>
  Effect.catch(Effect.timeoutOrElse(part, { duration, orElse: () => Effect.fail(unanswered) }), (error) => {
    if (node === mainNode || !isLost(error)) return Effect.fail(error as Exclude<E, DatabaseUnavailable>)
    const facts = { cell: name, node, error: wordsOf(error) }
    return Effect.as(Effect.logWarning("the schema of a cell was not checked: its node does not answer", facts), [])
  })

/** For each cell, the files that have to run in it. Requires that the directory already has this version. */
const cellChanges = Effect.gen(function* () {
  const { cell } = yield* sqlFiles
  const check_max = yield* CheckTimeout
  const changed = yield* Effect.forEach(
    yield* cellPlaces,
    (place) => {
      const schema = place.name
      const changes = Effect.map(changesIn(schema, cell), (files): ReadonlyArray<Changes> => [{ schema, files }])
      return unlessDown(place, onNode(place.node)(changes), place.node === mainNode ? undefined : check_max)
    },
    // Concurrently, so that several nodes that do not answer cost only one timeout.
    { concurrency: "unbounded" }
  )
  return changed.flat()
})

/** Whether a later version of Saldo has made the schema. If so, this version uses the schema and changes nothing in it. */
export const isAhead = Effect.map(directoryChanges, (change) => change.isAhead)

/**
 * The files that have to run in this database. The changes of the cells can be read only once the directory
 * has this version.
 */
const changes = Effect.gen(function* () {
  const directory = yield* directoryChanges
  if (directory.isAhead) return []
  return directory.isRecorded && directory.files.length === 0
    ? (yield* cellChanges).filter(({ files }) => files.length > 0)
    : [directory]
})

/** Names of the files that have never run in this database, or that ran in it with another text. */
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

// Reads the changes again, because another process may have migrated while this process waited for the lock.
const bringUpDirectory = exclusively(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const directory = yield* directoryChanges
    if (directory.isAhead) return []
    yield* apply(directory, run)
    yield* sql`insert into directory.schema_version (version) values (${directory.own}) on conflict do nothing`
    return namesOf(directory)
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
  const cells = yield* Effect.forEach(yield* cellPlaces, (place) =>
    place.node === mainNode
      ? bringUpCell(place.name, spreadIds)
      : unlessDown(place, bringUpOnNode(place, spreadIdsOn(place.name, place.ordinal, new Map())))
  )
  return [...directory, ...cells.flat()]
})

/**
 * Migrates the database's schema to this version: the directory, then each cell in its own transaction. A migration
 * that was interrupted continues with the first cell that lacks a file. Several processes may migrate at the same time. A login
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
