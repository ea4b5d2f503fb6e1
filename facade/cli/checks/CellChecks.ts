import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { leftoversOn } from "../../../adapters/postgres/cells/LeftoversPostgres.ts"
import { everyCellPlace, type NamedCell, nodeClients } from "../../../adapters/postgres/connection/Cell.ts"
import { mainNode, Nodes } from "../../../adapters/postgres/connection/Nodes.ts"
import { tableExists } from "../../../adapters/postgres/connection/Sql.ts"
import { isLost, wordsOf } from "../../../adapters/postgres/connection/SqlFailure.ts"
import type { Leftover } from "../../../core/domain/Cell.ts"
import { failed, isolated, namedByIds, passed, warned } from "./Check.ts"

const cells = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* tableExists(sql, "directory.cell"))) return passed("cells", "there are no tables yet")
  const rows = yield* sql<{ name: string; closed: boolean }>`
    select name, state = 'closed' as closed from directory.cell order by ordinal`
  const closed = rows.filter((cell) => cell.closed).map(({ name }) => name)
  return closed.length === 0
    ? passed("cells", `${rows.length === 1 ? "the cell is" : `all ${rows.length} cells are`} open`)
    : warned(
        "cells",
        `calls of the companies of these cells are refused with 503, because the cells are closed: ${closed.join(", ")}; open one with saldo cell open NAME`
      )
})

const moves = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* tableExists(sql, "directory.company_move"))) return passed("moves", "there are no tables yet")
  const rows = yield* sql<{ id: number; source: string; target: string }>`
    select company_id::int as id, source, target from directory.company_move order by company_id`
  const cells = (yield* tableExists(sql, "directory.cell_move"))
    ? yield* sql<{ name: string; source: string; target: string }>`
        select cell as name, source, target from directory.cell_move order by cell`
    : []
  if (rows.length + cells.length === 0) return passed("moves", "no company and no cell is moving")
  const ofCompanies = `calls of these companies are refused with 503, because they are moving to another cell: ${rows.map(({ id, source, target }) => `${id} from ${source} to ${target}`).join(", ")}; if no command is moving them, end each move with saldo company move ID --to CELL`
  const ofCells = `calls of the companies of these cells are refused with 503, because the cells are moving to another node: ${cells.map(({ name, source, target }) => `${name} from ${source} to ${target}`).join(", ")}; if no command is moving them, end each move with saldo cell move NAME --node NODE`
  const texts = [...(rows.length > 0 ? [ofCompanies] : []), ...(cells.length > 0 ? [ofCells] : [])]
  return warned("moves", texts.join("; "))
})

// Connects to each node, because the companies on a node can sell only if the node answers.
const nodes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* tableExists(sql, "directory.cell"))) return passed("nodes", "there are no tables yet")
  const places = yield* yield* everyCellPlace
  const others = places.filter(({ node }) => node !== mainNode)
  if (others.length === 0) return passed("nodes", "all cells are in the database of the directory")
  const faults = yield* Effect.forEach(others, ({ connected, name, node }) =>
    Effect.match(
      Effect.flatMap(connected, ({ sql }) => sql`select from ${sql.cell}.schema_file limit 1`),
      { onFailure: (error) => [`${name} on ${node}: ${wordsOf(error)}`], onSuccess: () => [] }
    )
  )
  const found = faults.flat()
  return found.length === 0
    ? passed("nodes", `the nodes of ${others.length === 1 ? "one cell" : `${others.length} cells`} answer`)
    : failed("nodes", `the companies of these cells cannot sell: ${found.join("; ")}`)
})

interface WaitingRow {
  readonly table: string
  readonly holders: string
}

/**
 * The tables of a cell for which a statement has waited longer than a second, and the database processes that lock
 * them.
 */
const waitsIn = ({ name, sql }: NamedCell) =>
  Effect.map(
    sql<WaitingRow>`
      select c.relname::text as table, string_agg(distinct b.pid::text, ', ') as holders
      from pg_locks as l
      join pg_class as c on c.oid = l.relation
      cross join unnest(pg_blocking_pids(l.pid)) as b(pid)
      where not l.granted
        and l.waitstart < clock_timestamp() - interval '1 second'
        and l.database = (select oid from pg_database where datname = current_database())
        and c.relnamespace = to_regnamespace(${name})
      group by c.relname
      order by c.relname`,
    (rows) => rows.map(({ holders, table }) => `${name}.${table}, held by the database process ${holders}`)
  )

const locks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* tableExists(sql, "directory.cell"))) return passed("locks", "there are no tables yet")
  // The check `nodes` reports a node that does not answer.
  const waits = yield* Effect.forEach(yield* yield* everyCellPlace, ({ connected }) =>
    Effect.orElseSucceed(Effect.flatMap(connected, waitsIn), () => [])
  )
  const found = waits.flat()
  return found.length === 0
    ? passed("locks", "no statement waits for a table of a cell")
    : failed(
        "locks",
        `sales of these cells wait for locks on tables: ${found.join("; ")}; look at the process in pg_stat_activity of the cell's database, and end it with select pg_terminate_backend(PROCESS)`
      )
})

// Queries each node that has an environment variable, even a node without cells. The check `nodes` reports a node that
// does not answer.
const leftovers = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  if (!(yield* tableExists(sql, "directory.cell_move"))) return passed("leftovers", "there are no tables yet")
  const clientOn = yield* nodeClients(sql)
  const { names } = yield* Nodes
  const found = yield* Effect.forEach(names, (node) =>
    Effect.flatMap(clientOn(node), (there) => leftoversOn(sql, node, there)).pipe(
      Effect.map((left) => (left.length === 0 ? [] : [leftoverText(node, left)])),
      Effect.catchIf(isLost, () => Effect.succeed([]))
    )
  )
  const texts = found.flat()
  return texts.length === 0
    ? passed("leftovers", "moves have left nothing on the nodes that answer")
    : warned("leftovers", texts.join("; "))
})

const leftoverText = (node: string, left: ReadonlyArray<Leftover>): string => {
  const cells = left.flatMap(({ cell, companyId }) => (companyId === null ? [cell] : []))
  const companies = left.flatMap(({ companyId }) => (companyId === null ? [] : [{ id: companyId }]))
  const parts = [
    ...(cells.length > 0 ? [`the schema of ${cells.join(", ")}`] : []),
    ...(companies.length > 0 ? [`rows of ${namedByIds("company", "companies", companies)}`] : [])
  ]
  return `node ${node} has ${parts.join(" and ")}, frozen, from moves that ended without it; they are not used: remove them with saldo cell clear --node ${node}`
}

/**
 * Checks for closed cells, moves, nodes that do not answer, locked tables, and rows that moves have left on lost
 * servers.
 */
export const cellChecks = Effect.all([
  isolated("cells", cells),
  isolated("moves", moves),
  isolated("nodes", nodes),
  isolated("locks", locks),
  isolated("leftovers", leftovers)
])
