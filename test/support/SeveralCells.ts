import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { migrate } from "../../adapters/postgres/schema/Migrations.ts"
import { run, sqlFiles } from "../../adapters/postgres/schema/SqlFiles.ts"
import { setBlockLength, testBlockLength } from "./SalesHistory.ts"

/** The cells of test databases, in the order of their ordinals. */
export const cellNames = ["cell", "norte", "sur"] as const

/** Adds a cell to a test database. */
export const addCell = Effect.fnUntraced(function* (name: string) {
  const sql = yield* PgClient.PgClient
  yield* sql`insert into directory.cell (name, ordinal) select ${name}, count(*) from directory.cell`
  yield* migrate
  yield* setBlockLength(testBlockLength, name)
})

/** Replaces the tables of a cell by views of tables in another schema, as they are on a worker of a Citus cluster. */
export const viewTables = Effect.fnUntraced(function* (cell: string) {
  const sql = yield* PgClient.PgClient
  const files = yield* sqlFiles
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql.unsafe(`
        do $$
        declare
          t record;
        begin
          create schema "${cell}$";
          for t in
            select
              c.relname as name,
              (
                select string_agg(quote_ident(a.attname), ', ' order by a.attnum)
                from pg_attribute as a
                where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
              ) as columns
            from pg_class as c
            where c.relnamespace = '${cell}'::regnamespace and c.relkind = 'r' and c.relname <> 'schema_file'
          loop
            execute format('alter table ${cell}.%I set schema "${cell}$"', t.name);
            execute format(
              'create view ${cell}.%I with (security_invoker) as select %s, ctid from "${cell}$".%I', t.name, t.columns, t.name
            );
          end loop;
        end;
        $$`).unprepared
      yield* sql`select set_config('search_path', ${`${cell}, pg_temp`}, true)`
      yield* run(files.cell.roles)
    })
  )
})

/**
 * SQL that makes the schema `all_cells`. It has a view for each table of the cells, with the rows of all cells. Its column
 * `cell` has the name of the cell.
 */
export const uniteCellsSql = `
  do $$
  declare
    tables record;
  begin
    create schema all_cells;
    for tables in
      select
        c.relname as name,
        string_agg(
          format('select %L::text as cell, t.* from %I.%I as t', d.name, d.name, c.relname), ' union all ' order by d.ordinal
        ) as rows
      from directory.cell as d
      join pg_class as c on c.relnamespace = d.name::regnamespace and c.relkind = 'r'
      group by c.relname
    loop
      execute format('create view all_cells.%I as %s', tables.name, tables.rows);
    end loop;
  end;
  $$;
`

/** A company that has rows in a table of a cell. */
export interface Placement {
  readonly table: string
  readonly cell: string
  readonly companyId: number
}

/** The companies with rows in each table of each cell. Needs the schema `all_cells`. */
export const readPlacements = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const tables = yield* sql<{ name: string }>`
    select table_name as name
    from information_schema.columns
    where table_schema = 'all_cells' and column_name = 'company_id'`
  const parts = tables.map(
    ({ name }) => `select distinct '${name}' as table, cell, company_id::float8 as "companyId" from all_cells."${name}"`
  )
  return yield* sql.unsafe<Placement>(parts.join(" union all ")).unprepared
})
