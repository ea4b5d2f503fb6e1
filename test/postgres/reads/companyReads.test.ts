import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Effect, Layer, Redacted } from "effect"
import { companyReads, ReadingClient, readerLayer } from "../../../adapters/postgres/connection/CompanyReads.ts"
import * as AccountsPostgres from "../../../adapters/postgres/ledger/AccountsPostgres.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { periodsAt } from "../../../core/domain/LocalTime.ts"
import { Accounts } from "../../../core/ports/Accounts.ts"
import { testDatabaseUrl } from "../../support/Database.ts"
import { companyOne, companyTwo, populated } from "../../support/EveryState.ts"

/** Tables that are read for one company at a time. */
const readForOne = ["balance", "block", "consumption", "entry", "idempotency", "insurance", "option", "transaction"]

/** Postgres settings that lead to different query plans. */
const plannerSettings: ReadonlyArray<Readonly<Record<string, string>>> = [
  {},
  { enable_nestloop: "off" },
  { enable_indexscan: "off", enable_bitmapscan: "off", enable_indexonlyscan: "off" },
  { enable_nestloop: "off", enable_seqscan: "off", enable_material: "off", enable_memoize: "off" },
  { enable_hashjoin: "off", enable_mergejoin: "off" },
  { plan_cache_mode: "force_generic_plan" },
  { plan_cache_mode: "force_custom_plan", join_collapse_limit: "1", from_collapse_limit: "1" },
  { debug_parallel_query: "on", parallel_setup_cost: "0", parallel_tuple_cost: "0", min_parallel_table_scan_size: "0" },
  { jit: "on", jit_above_cost: "0", jit_inline_above_cost: "0", jit_optimize_above_cost: "0" },
  { geqo_threshold: "2" }
]

/** A client with one connection, which uses the database role for reads. */
const readingAs = (parameters: Readonly<Record<string, string>>) =>
  Layer.unwrap(
    Effect.map(testDatabaseUrl, (url) =>
      Layer.fresh(readerLayer({ url: Redacted.make(url), connections_max: 1, parameters }))
    )
  )

layer(populated)("a read for one company", (it) => {
  it.effect("is limited by a row policy on every tenant table", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const without = yield* sql`
        select c.relname
        from pg_class as c
        where c.relnamespace = 'cell'::regnamespace and c.relkind in ('r', 'p') and not c.relrowsecurity
        order by c.relname`
      // These tables have no data of companies, and the role of reads may not read them.
      assert.deepStrictEqual(
        without.map(({ relname }) => relname),
        ["departed", "follow_up", "schema_file"]
      )
      const policies = yield* sql`
        select roles::text, cmd as command, qual as sees, count(*)::int as tables
        from pg_policies
        where schemaname = 'cell' and permissive = 'PERMISSIVE' and with_check is null
        group by 1, 2, 3
        order by 1`
      const [all] = yield* sql<{ tables: number }>`
        select count(*)::int as tables
        from pg_class
        where relnamespace = 'cell'::regnamespace and relkind in ('r', 'p') and relname not in ('departed', 'follow_up', 'schema_file')`
      const own = "(company_id = (NULLIF(current_setting('saldo.company'::text, true), ''::text))::bigint)"
      assert.deepStrictEqual(policies, [
        { roles: "{saldo_reader}", command: "SELECT", sees: own, tables: all?.tables },
        { roles: "{saldo_server}", command: "ALL", sees: "true", tables: all?.tables }
      ])
    })
  )

  describe.each(plannerSettings)("with %j", (parameters) => {
    it.effect("returns only rows of that company with any query", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* Effect.gen(function* () {
          const reads = yield* companyReads
          for (const table of readForOne) {
            const [there] = yield* sql<{ one: number; other: number }>`
              select
                count(*) filter (where company_id = ${companyOne})::int as one,
                count(*) filter (where company_id = ${companyTwo})::int as other
              from ${sql.literal(`cell.${table}`)}`
            assert.isAbove(there?.other ?? 0, 0, table)
            // Faulty queries: without a condition, with the id of the other company, and with a join that ignores the company.
            const seen = yield* reads(companyOne)<{ all: number; theirs: number; joined: number }>`
              select
                (select count(*) from ${sql.literal(`cell.${table}`)})::int as all,
                (select count(*) from ${sql.literal(`cell.${table}`)} where company_id = ${companyTwo})::int as theirs,
                (
                  select count(*)
                  from cell.balance as b
                  join ${sql.literal(`cell.${table}`)} as t on true
                  where b.company_id <> ${companyOne} or t.company_id <> ${companyOne}
                )::int as joined`
            assert.deepStrictEqual(seen, [{ all: there?.one ?? -1, theirs: 0, joined: 0 }], table)
          }
        }).pipe(Effect.provide(readingAs(parameters)))
      })
    )
  })

  it.effect("is not affected by other companies' reads on the same connection", () =>
    Effect.gen(function* () {
      const companies = Array.from({ length: 400 }, (_, n) => (n % 2 === 0 ? companyOne : companyTwo))
      const seen = yield* Effect.gen(function* () {
        const reads = yield* companyReads
        return yield* Effect.forEach(
          companies,
          (company) => reads(company)<{ id: number }>`select distinct company_id::int as id from cell.transaction`,
          { concurrency: "unbounded" }
        )
      }).pipe(Effect.provide(readingAs({})))
      assert.deepStrictEqual(
        seen,
        companies.map((id) => [{ id }])
      )
    })
  )

  it.effect("returns each company's own balance in concurrent reads, and zero for an unknown company", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const there = yield* sql<{ company: number; available: number }>`
        select company_id::int as company, available::int from cell.balance`
      const asked = Arr.flatten(Arr.replicate([...there.map(({ company }) => company), 999], 20))
      const accounts = yield* Accounts
      const read = yield* Effect.forEach(
        asked,
        (company) => accounts.read(CompanyId.make(company), periodsAt(DateTime.makeUnsafe("2026-11-21T12:00:00Z"))),
        { concurrency: "unbounded" }
      )
      assert.isAtLeast(there.length, 2)
      assert.deepStrictEqual(
        read.map(({ balance }) => balance.available as number),
        asked.map((company) => there.find((row) => row.company === company)?.available ?? 0)
      )
    }).pipe(Effect.provide(Layer.provide(AccountsPostgres.accountsLayer, readingAs({}))))
  )

  it.effect.each([
    "select * from cell.sms",
    "select * from cell.resolution",
    "select * from directory.token",
    "insert into cell.option select * from cell.option",
    "update cell.transaction set asked_at = null",
    "delete from cell.option",
    "select directory.deposit(1, 5, 10, 'x', 'epoch')",
    "select nextval('cell.insurance_id')"
  ])("may not execute: %s", (statement) =>
    Effect.gen(function* () {
      const sql = yield* ReadingClient
      const { reason } = yield* Effect.flip(sql.unsafe(statement).unprepared)
      assert.strictEqual(reason._tag, "AuthorizationError")
    }).pipe(Effect.provide(readingAs({})))
  )

  it.effect("returns no row of a tenant table before a company is set", () =>
    Effect.gen(function* () {
      const sql = yield* ReadingClient
      for (const table of readForOne) {
        assert.isEmpty(yield* sql`select from ${sql.literal(`cell.${table}`)}`, table)
      }
    }).pipe(Effect.provide(readingAs({})))
  )
})
