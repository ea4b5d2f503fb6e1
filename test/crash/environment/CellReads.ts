import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { nodeClients } from "../../../adapters/postgres/connection/Cell.ts"

/** Runs a query in each cell, on its Postgres server. `all_cells` in the query stands for the cell. Returns all rows. */
export const readCells = Effect.fnUntraced(function* <Row extends object>(
  query: string,
  parameters: ReadonlyArray<string> = []
) {
  const sql = yield* PgClient.PgClient
  const clientOn = yield* nodeClients(sql)
  const cells = yield* sql<{ name: string; node: string }>`select name, node from directory.cell order by ordinal`
  const rows = yield* Effect.forEach(cells, ({ name, node }) =>
    Effect.flatMap(clientOn(node), (client) => client.unsafe<Row>(query.replaceAll("all_cells", name), parameters))
  )
  return rows.flat()
})

/** Runs work with the connection to the server of a cell. */
export const onNodeOf = <A, E, R>(cell: string, work: Effect.Effect<A, E, R | PgClient.PgClient>) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const [row] = yield* sql<{ node: string }>`select node from directory.cell where name = ${cell}`
    const client = yield* Effect.flatMap(nodeClients(sql), (clientOn) => clientOn(row?.node ?? ""))
    return yield* Effect.provideService(work, PgClient.PgClient, client)
  })
