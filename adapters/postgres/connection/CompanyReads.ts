import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import * as Database from "./Database.ts"

/** A role that can only read. In tenant tables it sees only the rows of the company that its statement has entered. */
const readerRole = "saldo_reader"

/**
 * Planning the query of a page takes longer than running it, so plans are generic and reused. They use indexes, which
 * are in memory or on a disk with fast random access. Such a plan is the best plan for every company.
 */
const planning = { plan_cache_mode: "force_generic_plan", random_page_cost: "1.1" }

/** Connections of the role that sees one company at a time. */
export class ReadingClient extends Context.Service<ReadingClient, PgClient.PgClient>()(
  "saldo/adapters/ReadingClient"
) {}

/** Whether this login may switch to the reader role. Membership of the role without the SET option is not enough. */
export const mayActAsReader = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql`
    select
    from pg_roles as r
    where r.rolname = ${readerRole}
      and pg_has_role(r.oid, 'SET')
      and exists (
        select
        from pg_class as f
        where f.relname = 'balance'
          and f.relnamespace <> 'pg_catalog'::regnamespace
          and has_schema_privilege(r.oid, f.relnamespace, 'USAGE')
      )`
  return rows.length > 0
}).pipe(Effect.orDie)

/**
 * Reads through the existing connections. Row-level security does not apply to their role, so only the query's own
 * condition limits a read to its company.
 */
export const anyRoleReaderLayer = Layer.effect(ReadingClient, PgClient.PgClient)

/**
 * Reads through connections in the reader role if this login may switch to it. Otherwise uses the existing connections.
 */
export const readerLayer = (options: Database.DatabaseOptions) =>
  Layer.unwrap(
    Effect.map(mayActAsReader, (may) =>
      may
        ? Layer.provide(
            anyRoleReaderLayer,
            Layer.fresh(
              Database.layer({ ...options, parameters: { ...planning, ...options.parameters, role: readerRole } })
            )
          )
        : anyRoleReaderLayer
    )
  )

/**
 * Makes statements that read the data of one company. Row-level security hides all other companies, regardless of what the
 * query asks for.
 *
 * The statement's first table sets the company for row-level security, which then shows only the rows of this company.
 * The query depends on a column of that table, so that no plan can run the query before the company is set. A
 * transaction for each read would have the same effect, but needs four round trips instead of one.
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
