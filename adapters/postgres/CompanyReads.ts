import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { CompanyId } from "../../core/domain/Ids.ts"
import * as Database from "./Database.ts"

/** A role that can read, and of the tenant tables only the rows of the company that its statement has entered. */
const reader = "saldo_reader"

/**
 * To plan a page takes longer than to read it, and the best plan is the same for every company: by the indexes, which
 * are in memory or on a disk that has no arm to move.
 */
const planning = { plan_cache_mode: "force_generic_plan", random_page_cost: "1.1" }

/** Connections of the role that sees one company at a time. */
export class ReadingClient extends Context.Service<ReadingClient, PgClient.PgClient>()(
  "saldo/adapters/ReadingClient"
) {}

/** May this login act as the reader? That is more than to be a member. */
export const mayRead = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql`
    select
    from pg_roles as r
    where r.rolname = ${reader}
      and pg_has_role(r.oid, 'SET')
      and has_schema_privilege(r.oid, to_regnamespace('cell')::oid, 'USAGE')`
  return rows.length > 0
}).pipe(Effect.orDie)

/**
 * Reads on the connections there are. In any other role than the reader's nothing but its own condition holds a read to
 * its company.
 */
export const readingInAnyRole = Layer.effect(ReadingClient, PgClient.PgClient)

/** Reads on connections of the reader, where this login may act as it; else on those there are. */
export const reading = (options: Database.DatabaseOptions) =>
  Layer.unwrap(
    Effect.map(mayRead, (may) =>
      may
        ? Layer.provide(
            readingInAnyRole,
            Layer.fresh(
              Database.layer({ ...options, parameters: { ...planning, ...options.parameters, role: reader } })
            )
          )
        : readingInAnyRole
    )
  )

/**
 * Makes statements that read what belongs to one company, and see nothing of any other, whatever they ask for:
 * row-level security holds them to the company that they have entered.
 *
 * A statement enters by its first table. The query needs a column of that for each row, so no plan can begin it before;
 * if one did, it would see no rows at all. A transaction for each read would say the same in four trips instead of one.
 */
export const companyReads = Effect.gen(function* () {
  const sql = yield* ReadingClient
  return (companyId: CompanyId) =>
    <Row extends object>(strings: TemplateStringsArray, ...parts: ReadonlyArray<unknown>) =>
      sql<Row>`
      select r.*
      from set_config('saldo.company', ${String(companyId)}, true) as entered(company)
      cross join lateral (
        select q.* from (${sql(strings, ...parts)}) as q where entered.company is not null offset 0
      ) as r`
})

export type CompanyReads = Effect.Success<typeof companyReads>
