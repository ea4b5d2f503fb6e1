import { PgClient } from "@effect/sql-pg"
import { type DateTime, Effect, Layer, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { type Cell, CellName, CellState } from "../../../core/domain/Cell.ts"
import { CellNameTaken, CellNotAdded } from "../../../core/domain/OperatorErrors.ts"
import { CellDirectory } from "../../../core/ports/CellDirectory.ts"
import { instant, int8 } from "../connection/Sql.ts"
import { addCell } from "../schema/Migrations.ts"

interface CellRow {
  readonly name: string
  readonly state: string
  readonly companies: bigint
  readonly rows: bigint
  readonly bytes: bigint
}

const nameOf = Schema.decodeUnknownSync(CellName)
const stateOf = Schema.decodeUnknownSync(CellState)

/** The server of DATABASE_URL, which holds all cells. */
const mainNode = "main"

const cellOf = (row: CellRow): Cell => ({
  name: nameOf(row.name),
  node: mainNode,
  state: stateOf(row.state),
  companies: Number(row.companies),
  rows: Number(row.rows),
  bytes: Number(row.bytes)
})

/** Number of companies that one transaction closes or opens, because it holds the locks of their balances. */
const companies_max = 500

const make = Effect.fnUntraced(function* <E>(owner: Layer.Layer<SqlClient.SqlClient, E>) {
  const sql = yield* PgClient.PgClient

  // The planner's statistics, because counting all rows would take minutes.
  const list = sql<CellRow>`
    select
      c.name,
      c.state,
      (select count(*) from directory.company as o where o.cell = c.name) as companies,
      coalesce(sum(pg_stat_get_live_tuples(t.oid)) filter (where t.relname <> 'schema_file'), 0)::bigint as rows,
      coalesce(sum(pg_total_relation_size(t.oid)), 0)::bigint as bytes
    from directory.cell as c
    left join pg_namespace as n on n.nspname = c.name
    left join pg_class as t on t.relnamespace = n.oid and t.relkind = 'r'
    group by c.name, c.state, c.ordinal
    order by c.ordinal`.pipe(
    Effect.map((rows) => rows.map(cellOf)),
    Effect.orDie
  )

  const add = Effect.fnUntraced(function* (name: CellName) {
    const result = yield* addCell(name).pipe(Effect.provide(Layer.fresh(owner)), Effect.orDie)
    if (result === "taken") return yield* new CellNameTaken({ name })
    if (result === "added" || result === "known") return result === "added"
    return yield* new CellNotAdded({ name, why: result })
  })

  const setState = Effect.fnUntraced(function* (name: CellName, state: CellState) {
    const [row] = yield* sql<{ state: string }>`
      update directory.cell set state = ${state} where name = ${name} returning old.state`
    return Option.map(Option.fromUndefinedOr(row), (before) => stateOf(before.state))
  }, Effect.orDie)

  /** Closes or opens the next companies. Returns the last of them, or null after the last company of the cell. */
  const setNext = (name: CellName, state: CellState, at: DateTime.Utc, after: bigint) =>
    sql.withTransaction(
      Effect.gen(function* () {
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
        yield* sql`
          select ${sql(name)}.close_companies(${ids}::text[]::bigint[], ${state === "closed"}, ${instant(at)})`
        return last.id
      })
    )

  const setCompanies = Effect.fnUntraced(function* (name: CellName, state: CellState, at: DateTime.Utc) {
    let last: bigint | null = 0n
    while (last !== null) last = yield* setNext(name, state, at, last)
  }, Effect.orDie)

  return CellDirectory.of({ add, list, setCompanies, setState })
})

/**
 * `CellDirectory` in Postgres.
 *
 * @param owner a connection with the login that owns the database. It is only opened to add a cell.
 */
export const layer = <E>(owner: Layer.Layer<SqlClient.SqlClient, E>) => Layer.effect(CellDirectory, make(owner))
