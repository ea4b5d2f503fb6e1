import { PgClient } from "@effect/sql-pg"
import { Context, Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { CellFilter } from "../../../core/ports/CellFilter.ts"

/**
 * Name of the cell that an adapter reads and writes. It is also the name of the schema. Each cell has its own instance of each
 * adapter that reads or writes data of companies.
 */
export const CellName = Context.Reference<string>("saldo/adapters/CellName", { defaultValue: () => "cell" })

/** A client of the cell's server, with the cell's schema as a part of a statement: `from ${sql.cell}.transaction`. */
export interface CellSql extends PgClient.PgClient {
  readonly cell: Fragment
}

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
  const statement = (...parts: Parameters<PgClient.PgClient>) => sql(...parts)
  return Object.assign(statement as PgClient.PgClient, sql, { cell: sql.literal(`"${name}"`) }) satisfies CellSql
})

/** The client of the cell that `CellName` names. */
export const cellClient = Effect.flatMap(PgClient.PgClient, inCell)

/** A cell and the client of its server. */
export interface NamedCell {
  readonly name: string
  readonly sql: CellSql
}

/** The cells that a read over all companies covers, the first cell first. */
export const everyCell = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const only = yield* CellFilter
  const rows = yield* sql<{ name: string }>`
    select name from directory.cell where ${only === null ? sql`true` : sql`name = ${only}`} order by ordinal`
  return yield* Effect.forEach(rows, ({ name }) =>
    Effect.map(Effect.provideService(inCell(sql), CellName, name), (client): NamedCell => ({ name, sql: client }))
  )
})
