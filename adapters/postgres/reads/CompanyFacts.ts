import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { Environment } from "../../../core/domain/Company.ts"

/**
 * Facts of the directory about companies, for queries over a cell. These queries cannot join the directory,
 * because a cell may be on another server.
 */
export interface CompanyFacts {
  /** Condition: whether the company with the id in the column belongs to this environment. */
  readonly isOf: (environment: Environment, column: Fragment) => Fragment
  /** Expression: the environment of the company with the id in the column. */
  readonly environmentOf: (column: Fragment) => Fragment
  /** Condition: whether the company with the id in the column is not suspended. */
  readonly isActive: (column: Fragment) => Fragment
  /** The names of companies, by id. */
  readonly names: (ids: ReadonlyArray<bigint>) => Effect.Effect<ReadonlyMap<bigint, string>, SqlError>
}

/**
 * Reads which companies are in development and which are suspended. The queries receive the ids of these companies. The
 * lists of ids are short, because most companies are neither.
 */
export const companyFacts = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const idsOf = (ids: ReadonlyArray<bigint>) => sql`${ids.map(String)}::text[]::bigint[]`
  const rows = yield* sql<{ id: bigint; development: boolean; suspended: boolean }>`
    select id, environment = 'development' as development, state = 'suspendida' as suspended
    from directory.company
    where environment = 'development' or state = 'suspendida'`
  const development = idsOf(rows.flatMap((row) => (row.development ? [row.id] : [])))
  const suspended = idsOf(rows.flatMap((row) => (row.suspended ? [row.id] : [])))
  return {
    isOf: (environment, column) =>
      environment === "development"
        ? sql`${column} in (select unnest(${development}))`
        : sql`${column} not in (select unnest(${development}))`,
    environmentOf: (column) =>
      sql`case when ${column} in (select unnest(${development})) then 'development' else 'production' end`,
    isActive: (column) => sql`${column} not in (select unnest(${suspended}))`,
    names: (ids) =>
      Effect.map(
        sql<{ id: bigint; legal_name: string }>`
          select id, legal_name from directory.company where id = any (${idsOf(ids)})`,
        (named) => new Map(named.map(({ id, legal_name }) => [id, legal_name]))
      )
  } satisfies CompanyFacts
})
