import { PgClient } from "@effect/sql-pg"
import { Array as Arr, type DateTime, Effect, Layer, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { type Cell, CellName, CellState, NodeName } from "../../../core/domain/Cell.ts"
import { CellNameTaken, CellNotAdded } from "../../../core/domain/CellErrors.ts"
import { CellDirectory } from "../../../core/ports/CellDirectory.ts"
import { nodeClients } from "../connection/Cell.ts"
import { mainNode } from "../connection/Nodes.ts"
import { instant, int8 } from "../connection/Sql.ts"
import { addCell } from "../schema/AddCell.ts"

interface CellRow {
  readonly name: string
  readonly node: string
  readonly moving_to: string | null
  readonly state: string
}

interface SizeRow {
  readonly name: string
  readonly rows: bigint
  readonly bytes: bigint
}

const nameOf = Schema.decodeUnknownSync(CellName)
const nodeOf = Schema.decodeUnknownSync(NodeName)
const stateOf = Schema.decodeUnknownSync(CellState)

const cellOf = (row: CellRow): Cell => ({
  name: nameOf(row.name),
  node: nodeOf(row.node),
  movingTo: row.moving_to === null ? null : nodeOf(row.moving_to),
  state: stateOf(row.state)
})

// Reads the planner's statistics, because counting all rows would take minutes. In a cell of a Citus cluster, the tables are
// views of shards.
const sizesOn = (sql: PgClient.PgClient, cells: ReadonlyArray<string>) => sql<SizeRow>`
  select
    n.nspname::text as name,
    coalesce(sum(pg_stat_get_live_tuples(s.oid)) filter (where t.relname <> 'schema_file'), 0)::bigint as rows,
    coalesce(sum(pg_total_relation_size(s.oid)), 0)::bigint as bytes
  from pg_namespace as n
  left join pg_class as t on t.relnamespace = n.oid and t.relkind in ('r', 'v')
  left join lateral (
    select t.oid where t.relkind = 'r'
    union
    select d.refobjid
    from pg_rewrite as w
    join pg_depend as d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_class'::regclass
    where w.ev_class = t.oid and t.relkind = 'v' and d.refobjid <> t.oid
  ) as s on true
  where n.nspname = any (${cells})
  group by n.nspname`

/**
 * Maximum number of companies that one transaction closes or opens. The number is limited, because the transaction holds
 * the locks of the companies' balances.
 */
const companies_max = 500

const make = Effect.fnUntraced(function* <E>(owner: Layer.Layer<SqlClient.SqlClient, E>) {
  const sql = yield* PgClient.PgClient

  const clientOn = yield* nodeClients(sql)

  const list = sql<CellRow>`
    select
      c.name,
      c.node,
      (select m.target from directory.cell_move as m where m.cell = c.name) as moving_to,
      c.state
    from directory.cell as c
    order by c.ordinal`.pipe(
    Effect.map((rows) => rows.map(cellOf)),
    Effect.orDie
  )

  const measured = Effect.gen(function* () {
    const known = yield* list
    const counts = yield* sql<{ cell: string; companies: bigint }>`
      select cell, count(*) as companies from directory.company group by cell`
    const sizes = yield* Effect.forEach(Object.entries(Arr.groupBy(known, ({ node }) => node)), ([node, cells]) =>
      Effect.flatMap(clientOn(node), (client) =>
        sizesOn(
          client,
          cells.map(({ name }) => name)
        )
      ).pipe(
        // The list is also needed while a node is down.
        Effect.catch((error) =>
          Effect.as(Effect.logWarning("the size of a node's cells is unknown", { node, error: error.message }), [])
        )
      )
    )
    const companiesOf = new Map(counts.map(({ cell, companies }) => [cell, Number(companies)]))
    const sizeOf = new Map<string, SizeRow>(sizes.flat().map((size) => [size.name, size]))
    return known.map((cell) => {
      const size = sizeOf.get(cell.name)
      return {
        ...cell,
        companies: companiesOf.get(cell.name) ?? 0,
        rows: size === undefined ? null : Number(size.rows),
        bytes: size === undefined ? null : Number(size.bytes)
      }
    })
  }).pipe(Effect.orDie)

  const add = Effect.fnUntraced(function* (name: CellName, node: string) {
    const result = yield* addCell(name, node).pipe(Effect.provide(Layer.fresh(owner)), Effect.orDie)
    if (result === "taken") return yield* new CellNameTaken({ name })
    if (result === "added" || result === "known") return result === "added"
    return yield* new CellNotAdded({ name, why: result })
  })

  const setState = Effect.fnUntraced(function* (name: CellName, state: CellState) {
    // Waits for a move that is being recorded. The next statement sees the record of this move.
    yield* sql`select from directory.cell where name = ${name} for update`
    const [row] = yield* sql<{ state: string }>`
      update directory.cell
      set state = ${state}
      where name = ${name} and not exists (select from directory.cell_move as m where m.cell = name)
      returning old.state`
    return Option.map(Option.fromUndefinedOr(row), (before) => stateOf(before.state))
  }, Effect.orDie)

  const clientOfCell = Effect.fnUntraced(function* (name: CellName) {
    const [cell] = yield* sql<{ node: string }>`select node from directory.cell where name = ${name}`
    return yield* clientOn(cell?.node ?? mainNode)
  })

  /** Closes or opens the next companies. Returns the last of them, or null after the last company of the cell. */
  const setNext = (name: CellName, state: CellState, at: DateTime.Utc, after: bigint) =>
    sql.withTransaction(
      Effect.gen(function* () {
        // No move of the cell's companies begins until this transaction ends. Otherwise this transaction could open a company
        // that a move has closed.
        yield* sql`select from directory.cell where name = ${name} for no key update`
        const client = yield* clientOfCell(name)
        const companies = yield* sql<{ id: bigint }>`
          select id
          from directory.company
          where cell = ${name}
            and id > ${int8(after)}
            -- The end of a move decides whether its company is open.
            and not exists (select from directory.company_move as m where m.company_id = id)
          order by id
          limit ${companies_max}`
        const last = companies.at(-1)
        if (last === undefined) return null
        const ids = companies.map(({ id }) => String(id))
        yield* client`
          select ${sql(name)}.close_companies(${ids}::text[]::bigint[], ${state === "closed"}, ${instant(at)})`
        return last.id
      })
    )

  const setCompanies = Effect.fnUntraced(function* (name: CellName, state: CellState, at: DateTime.Utc) {
    let last: bigint | null = 0n
    while (last !== null) last = yield* setNext(name, state, at, last)
  }, Effect.orDie)

  return CellDirectory.of({ add, list, measured, setCompanies, setState })
})

/**
 * `CellDirectory` in Postgres.
 *
 * @param owner a connection with the login that owns the database. It is only opened to add a cell.
 */
export const layer = <E>(owner: Layer.Layer<SqlClient.SqlClient, E>) => Layer.effect(CellDirectory, make(owner))
