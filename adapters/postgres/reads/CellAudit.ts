import type { PgClient } from "@effect/sql-pg"
import { type Array as Arr, Effect } from "effect"
import type { CellInvariant } from "../../../core/domain/Invariants.ts"
import type { NamedCell } from "../connection/Cell.ts"

/** The tables with ids that are unique over all companies and cells, each with the column of the id. */
const numbered = {
  transaction: "id",
  entry: "id",
  reversal: "id",
  insurance: "id",
  webhook: "id",
  funding_proposal: "number"
} as const

/** The tables with rows of companies. In a cell of a Citus cluster they are views. */
const tenantTables = ({ name, sql }: NamedCell) => sql<{ name: string }>`
  select c.relname as name
  from pg_class as c
  join pg_namespace as n on n.oid = c.relnamespace
  join pg_attribute as a on a.attrelid = c.oid
  where n.nspname = ${name} and c.relkind in ('r', 'v') and a.attname = 'company_id'`

/**
 * The companies with their cells, as a part of a query. If there are several nodes, the query contains the rows themselves,
 * because the table exists only in the database of the directory.
 */
export const companiesFor = Effect.fnUntraced(function* (directory: PgClient.PgClient, hasNodes: boolean) {
  if (!hasNodes) return "directory.company as c"
  const rows = yield* directory<{ id: bigint; cell: string }>`select id, cell from directory.company`
  const listed = (values: ReadonlyArray<bigint | string>) => `'{${values.join()}}'`
  return `unnest(${listed(rows.map(({ id }) => id))}::bigint[], ${listed(rows.map(({ cell }) => cell))}::text[]) as c(id, cell)`
})

/** A company that is being moved, and the other cell of its move: the target until the directory names it, then the source. */
interface Copy {
  readonly companyId: bigint
  readonly cell: string
}

/** The cells in which companies that are being moved may have a frozen copy. A frozen copy accepts no writes. */
export const movingCopies = (directory: PgClient.PgClient) => directory<Copy>`
  select c.id as "companyId", case c.cell when m.source then m.target else m.source end as cell
  from directory.company_move as m
  join directory.company as c on c.id = m.company_id`

/**
 * Condition that leaves out the frozen copies of companies that are being moved. The copy that servers write is in the
 * company's own cell. Any other copy is a violation if no move has begun, or if this copy accepts writes.
 */
const isNoCopy = (cell: string, copies: ReadonlyArray<Copy>): string => {
  const companies = copies.filter((copy) => copy.cell === cell).map(({ companyId }) => companyId)
  if (companies.length === 0) return "true"
  return `company_id <> all (array(
    select company from "${cell}".departed where company in (${companies.join()}) and frozen is not null
  ))`
}

/** The companies with rows in a table. Reads one entry of the table's key for each company. */
const companiesIn = (cell: string, table: string, copies: ReadonlyArray<Copy>): string => `
  select '${cell}' as cell, '${table}' as "table", company_id
  from (
    with recursive found as (
      select min(company_id) as company_id from "${cell}".${table}
      union all
      select (select min(t.company_id) from "${cell}".${table} as t where t.company_id > f.company_id)
      from found as f
      where f.company_id is not null
    )
    select company_id from found where company_id is not null
  ) as ${table}
  where ${isNoCopy(cell, copies)}`

const idsIn = (cell: string, column: readonly [table: string, id: string], copies: ReadonlyArray<Copy>): string => {
  const [table, id] = column
  return `select ${id} as id, company_id, '${cell}' as cell from "${cell}".${table} where ${isNoCopy(cell, copies)}`
}

/**
 * For each invariant between cells, a query for the rows that violate it.
 *
 * @param cells the cells of one node.
 * @param companies the result of `companiesFor`.
 * @param copies the result of `movingCopies`, read in the same snapshot.
 */
export const cellQueries = Effect.fnUntraced(function* (
  cells: Arr.NonEmptyReadonlyArray<NamedCell>,
  companies: string,
  copies: ReadonlyArray<Copy>
) {
  const tables = yield* tenantTables(cells[0])
  const found = cells.flatMap((cell) => tables.map((table) => companiesIn(cell.name, table.name, copies)))
  const ids = Object.entries(numbered).map(
    ([table, id]) => `
      select '${table}' as "table", id, min(cell) as cell, max(cell) as other_cell, min(company_id) as company_id,
        max(company_id) as other_company_id
      from (${cells.map(({ name }) => idsIn(name, [table, id], copies)).join(" union all ")}) as t
      group by id
      having count(*) > 1`
  )
  return {
    // A company that the directory does not know belongs to the first cell.
    located: `
      select r.company_id, r.cell, r."table", coalesce(c.cell, 'cell') as own_cell
      from (${found.join(" union all ")}) as r
      left join ${companies} on c.id = r.company_id
      where r.cell <> coalesce(c.cell, 'cell')`,
    assigned: ids.join(" union all ")
  } satisfies Record<CellInvariant, string>
})
