import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { mainNode } from "../connection/Nodes.ts"
import { isLockTimeout } from "../connection/SqlFailure.ts"
import { highestIds, spreadIds, spreadIdsOn } from "./CellIds.ts"
import { bringUpInCluster, bringUpOnWorker, place } from "./CitusCell.ts"
import { cellPlaces, isAhead, mayMigrate, onNode, workerOf } from "./Migrations.ts"
import { bringUpCell, exclusively } from "./SchemaChanges.ts"
import { notTooOld } from "./ServerVersion.ts"

/** The connection to the directory, for use while a part of the work runs on another node. */
class DirectorySql extends Context.Service<DirectorySql, SqlClient.SqlClient>()("saldo/adapters/DirectorySql") {}

const mayCreate = Effect.map(
  SqlClient.SqlClient.use(
    (sql) => sql<{ may: boolean }>`select has_database_privilege(current_database(), 'CREATE') as may`
  ),
  ([row]) => row?.may === true
)

/** Whether the database of the connection has a schema with this name. */
export const hasSchema = (name: string) =>
  Effect.map(
    SqlClient.SqlClient.use((sql) => sql`select from pg_namespace where nspname = ${name}`),
    (rows) => rows.length > 0
  )

/**
 * Whether the schema is a cell without any row. If the directory does not list this schema, an interrupted command has made
 * it.
 */
const isEmptyCell = (name: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.gen(function* () {
      const tables = yield* sql<{ name: string }>`
        select c.relname as name
        from pg_class as c
        join pg_namespace as n on n.oid = c.relnamespace
        where n.nspname = ${name} and c.relkind in ('r', 'p', 'v')`
      if (!tables.some((table) => table.name === "schema_file")) return false
      for (const table of tables) {
        if (table.name === "schema_file") continue
        if ((yield* sql`select from ${sql(name)}.${sql(table.name)} limit 1`).length > 0) return false
      }
      return true
    })
  )

const insertCell = (name: string, node: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql<{ ordinal: number }>`
      insert into directory.cell (name, ordinal, node)
      select ${name}, max(ordinal) + 1, ${node}
      from directory.cell
      returning ordinal`
  )

// Changes the sequences of the cells on the node main last, because sales wait for these sequences until the transaction
// ends.
const spreadAbove = Effect.fnUntraced(function* (name: string, node: string) {
  const { highest, ordinal } = yield* Effect.gen(function* () {
    const [row] = yield* insertCell(name, node)
    yield* spreadIds
    return { highest: yield* highestIds, ordinal: row?.ordinal ?? 0 }
  }).pipe(Effect.provideService(SqlClient.SqlClient, yield* DirectorySql))
  yield* spreadIdsOn(name, ordinal, highest)
})

/** The reason why the cell is not added; `known` if the cell exists already. Null if the cell can be added. */
const obstacle = Effect.fnUntraced(function* (name: string, node: string) {
  if (yield* isAhead) return "version"
  const known = (yield* cellPlaces).find((place) => place.name === name)
  if (known !== undefined) return known.node === node ? "known" : "taken"
  if (yield* hasSchema(name)) return "taken"
  return node === mainNode || (yield* onNode(node)(isFree(name))) ? null : "taken"
})

/** Whether a cell with this name can be made in this database. */
export const isFree = Effect.fnUntraced(function* (name: string) {
  return !(yield* hasSchema(name)) || (yield* isEmptyCell(name))
})

/**
 * Drops the schema that an interrupted call has left, and makes the cell anew. The ids of the cell depend on the cells that
 * exist now.
 */
const makeAnew = <A, E, R>(name: string, make: Effect.Effect<A, E, R>) =>
  SqlClient.SqlClient.use((sql) => exclusively(Effect.andThen(sql`drop schema if exists ${sql(name)} cascade`, make)))

/** Makes the schema of a cell on another node, and its row in the directory. */
const makeOnNode = Effect.fnUntraced(function* (name: string, node: string, isWorker: boolean) {
  const spread = spreadAbove(name, node)
  const make = isWorker ? bringUpOnWorker(name, node, spread) : bringUpCell(name, spread)
  const made = onNode(node)(Effect.andThen(notTooOld, makeAnew(name, make)))
  yield* Effect.provideService(made, DirectorySql, yield* SqlClient.SqlClient)
})

/**
 * Adds a cell: its schema, its tables, its ids and its row in the directory, in one transaction.
 *
 * On another node the cell is committed before its row in the directory. If the process dies between the two
 * commits, a schema without a row is left, and a repeated call makes the schema anew. In a Citus cluster the
 * tables are committed first, and a repeated call finds them.
 *
 * @returns `added`, `known` if the cell exists already, or the reason why nothing was changed. `taken`: a
 * schema has the name. `login`: the login may not create schemas. `version`: the database has a later
 * version. `busy`: sales used the ids for too long. `unknown_node` and `node_down`: the node has no address
 * or does not answer.
 */
export const addCell = Effect.fn("AddCell.addCell")(
  function* (name: string, node: string) {
    if (!(yield* mayMigrate) || !(yield* onNode(node)(mayCreate))) return "login"
    const worker = node === mainNode ? null : yield* workerOf(node)
    if (worker !== null) {
      const found = yield* obstacle(name, node)
      if (found !== null) return found
      yield* bringUpInCluster(name, node)
      yield* place(name, node, worker)
    }
    return yield* exclusively(
      Effect.gen(function* () {
        const found = yield* obstacle(name, node)
        if (found !== null) return found
        yield* node === mainNode
          ? Effect.andThen(insertCell(name, node), bringUpCell(name, spreadIds))
          : makeOnNode(name, node, worker !== null)
        return "added"
      })
    )
  },
  Effect.catchIf(isLockTimeout, () => Effect.succeed("busy" as const)),
  Effect.catchTags({
    NodeUnknown: () => Effect.succeed("unknown_node" as const),
    DatabaseUnavailable: () => Effect.succeed("node_down" as const)
  })
)
