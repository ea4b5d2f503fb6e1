import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
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

/** The tables with rows of companies. */
const tenantTables = (sql: PgClient.PgClient) => sql<{ name: string }>`
  select c.relname as name
  from pg_class as c
  join pg_attribute as a on a.attrelid = c.oid
  where c.relnamespace = 'cell'::regnamespace and c.relkind = 'r' and a.attname = 'company_id'`

/** The companies with rows in a table. Reads one entry of the table's key for each company. */
const companiesIn = (cell: string, table: string): string => `
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
  ) as ${table}`

const idsIn = (cell: string, table: string, id: string): string =>
  `select ${id} as id, company_id, '${cell}' as cell from "${cell}".${table}`

/** For each invariant between cells, a query for the rows that violate it. */
export const cellQueries = Effect.fnUntraced(function* (sql: PgClient.PgClient, cells: ReadonlyArray<NamedCell>) {
  const tables = yield* tenantTables(sql)
  const found = cells.flatMap((cell) => tables.map((table) => companiesIn(cell.name, table.name)))
  const ids = Object.entries(numbered).map(
    ([table, id]) => `
      select '${table}' as "table", id, min(cell) as cell, max(cell) as other_cell, min(company_id) as company_id,
        max(company_id) as other_company_id
      from (${cells.map(({ name }) => idsIn(name, table, id)).join(" union all ")}) as t
      group by id
      having count(*) > 1`
  )
  return {
    // A company that the directory does not know belongs to the first cell.
    located: `
      select r.company_id, r.cell, r."table", coalesce(c.cell, 'cell') as own_cell
      from (${found.join(" union all ")}) as r
      left join directory.company as c on c.id = r.company_id
      where r.cell <> coalesce(c.cell, 'cell')`,
    assigned: ids.join(" union all ")
  } satisfies Record<CellInvariant, string>
})
