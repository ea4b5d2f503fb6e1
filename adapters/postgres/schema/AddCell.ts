import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { mainNode } from "../connection/Nodes.ts"
import { isLockTimeout } from "../connection/SqlFailure.ts"
import { highestIds, spreadIds, spreadIdsOn } from "./CellIds.ts"
import { bringUpCell, cellPlaces, exclusively, isAhead, mayMigrate, onNode } from "./Migrations.ts"
import { notTooOld } from "./ServerVersion.ts"

/** The connection of the directory during a part on another node. */
class DirectorySql extends Context.Service<DirectorySql, SqlClient.SqlClient>()("saldo/adapters/DirectorySql") {}

const mayCreate = Effect.map(
  SqlClient.SqlClient.use(
    (sql) => sql<{ may: boolean }>`select has_database_privilege(current_database(), 'CREATE') as may`
  ),
  ([row]) => row?.may === true
)

const hasSchema = (name: string) =>
  Effect.map(
    SqlClient.SqlClient.use((sql) => sql`select from pg_namespace where nspname = ${name}`),
    (rows) => rows.length > 0
  )

const insertCell = (name: string, node: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql<{ ordinal: number }>`
      insert into directory.cell (name, ordinal, node)
      select ${name}, max(ordinal) + 1, ${node}
      from directory.cell
      returning ordinal`
  )

// Changes the sequences of the cells on main last, because sales wait for them until the transaction ends.
const spreadAbove = Effect.fnUntraced(function* (name: string, node: string) {
  const { highest, ordinal } = yield* Effect.gen(function* () {
    const [row] = yield* insertCell(name, node)
    yield* spreadIds
    return { highest: yield* highestIds, ordinal: row?.ordinal ?? 0 }
  }).pipe(Effect.provideService(SqlClient.SqlClient, yield* DirectorySql))
  yield* spreadIdsOn(name, ordinal, highest)
})

/**
 * Adds a cell: its schema, its tables, its ids and its row in the directory, in one transaction.
 *
 * On another node the cell is committed before its row in the directory. If the process dies between the two, the schema
 * is left there without a row, and a repeated call finds that the name is taken.
 *
 * @returns whether the cell was added or exists already, or why nothing was changed: a schema has the name, the login may
 * not create schemas, the database has a later version, sales used the ids for too long, or the node is unknown or down.
 */
export const addCell = Effect.fn("AddCell.addCell")(
  function* (name: string, node: string) {
    if (!(yield* mayMigrate) || !(yield* onNode(node)(mayCreate))) return "login"
    return yield* exclusively(
      Effect.gen(function* () {
        if (yield* isAhead) return "version"
        const known = (yield* cellPlaces).find((place) => place.name === name)
        if (known !== undefined) return known.node === node ? "known" : "taken"
        if ((yield* hasSchema(name)) || (yield* onNode(node)(hasSchema(name)))) return "taken"
        yield* node === mainNode
          ? Effect.andThen(insertCell(name, node), bringUpCell(name, spreadIds))
          : onNode(node)(Effect.andThen(notTooOld, bringUpCell(name, spreadAbove(name, node)))).pipe(
              Effect.provideService(DirectorySql, yield* SqlClient.SqlClient)
            )
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
