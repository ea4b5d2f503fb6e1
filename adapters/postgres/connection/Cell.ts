import { PgClient } from "@effect/sql-pg"
import { Context, type Duration, Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { CellFilter } from "../../../core/ports/CellFilter.ts"
import { mainNode, Nodes } from "./Nodes.ts"

/**
 * Name of the cell that an adapter reads and writes. It is also the name of the schema. Each cell has its own instance of each
 * adapter that reads or writes data of companies.
 */
export const CellName = Context.Reference<string>("saldo/adapters/CellName", { defaultValue: () => "cell" })

/**
 * A client of the cell's server. `cell` is the cell's schema for use in a statement: `from
 * ${sql.cell}.transaction`.
 */
export interface CellSql extends PgClient.PgClient {
  readonly cell: Fragment
}

/**
 * How long callers wait for a grouped statement of the cell (Grouped.ts). Null: they wait without a limit, because no
 * callers of another cell wait with them.
 */
export const CellTimeout = Context.Reference<Duration.Duration | null>("saldo/adapters/CellTimeout", {
  defaultValue: () => null
})

/**
 * Condition of a claim: whether the company of a row is open. The work of a closed company pauses.
 *
 * @param table the alias of the row's table.
 */
export const isOpen = (sql: CellSql, table: "s" | "t" | "w"): Fragment =>
  sql`not exists (
    select from ${sql.cell}.balance as o where o.company_id = ${sql.literal(table)}.company_id and o.closed
  )`

/** The client with the schema of the cell that `CellName` names. */
export const inCell = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const name = yield* CellName
  return clientOf(sql, name)
})

const clientOf = (sql: PgClient.PgClient, name: string): CellSql => {
  const statement = (...parts: Parameters<PgClient.PgClient>) => sql(...parts)
  return Object.assign(statement as PgClient.PgClient, sql, { cell: sql.literal(`"${name}"`) }) satisfies CellSql
}

/** The client of the cell that `CellName` names. */
export const cellClient = Effect.flatMap(PgClient.PgClient, inCell)

/**
 * The client of the directory, if the cell that `CellName` names is on another node. Null: the directory is in the same
 * database.
 */
export const DirectoryClient = Context.Reference<PgClient.PgClient | null>("saldo/adapters/DirectoryClient", {
  defaultValue: () => null
})

/** The client of the directory. In a cell of the node main, it is the client of the cell. */
export const directoryClient = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return (yield* DirectoryClient) ?? sql
})

/** The client that listens to notifications of the cell's database. Null: the client of the cell. */
export const ListeningClient = Context.Reference<PgClient.PgClient | null>("saldo/adapters/ListeningClient", {
  defaultValue: () => null
})

/** Makes the function that connects to a node and returns its client. */
export const nodeClients = Effect.fnUntraced(function* (directory: PgClient.PgClient) {
  const nodes = yield* Nodes
  return Effect.fnUntraced(function* (node: string) {
    return node === mainNode ? directory : Context.get(yield* nodes.connect(node), PgClient.PgClient)
  })
})

/** A cell and the client of its server. */
export interface NamedCell {
  readonly name: string
  readonly node: string
  readonly sql: CellSql
}

/**
 * Makes an effect that lists the cells, the first cell first, each with an effect that connects to it. For
 * reads over all companies.
 */
export const everyCellPlace = Effect.gen(function* () {
  const sql = yield* directoryClient
  const clientOn = yield* nodeClients(sql)
  const places = Effect.gen(function* () {
    const only = yield* CellFilter
    // Reads the row as JSON, because `saldo doctor` also reads the directory of an earlier version without the column `node`.
    const rows = yield* sql<{ name: string; node: string }>`
      select name, coalesce(to_jsonb(c) ->> 'node', ${mainNode}) as node
      from directory.cell as c
      where ${only === null ? sql`true` : sql`name = ${only}`}
      order by ordinal`
    return rows.map(({ name, node }) => ({
      name,
      node,
      connected: Effect.map(clientOn(node), (client): NamedCell => ({ name, node, sql: clientOf(client, name) }))
    }))
  })
  return places
})

/** Makes an effect that lists the cells and connects to each, the first cell first. For reads over all companies. */
export const everyCell = Effect.map(everyCellPlace, (places) =>
  Effect.flatMap(places, (cells) => Effect.forEach(cells, ({ connected }) => Effect.orDie(connected)))
)
