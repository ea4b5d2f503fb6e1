import { PgClient } from "@effect/sql-pg"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type SqlFileSet, sqlFiles } from "../../../adapters/postgres/schema/SqlFiles.ts"
import { defaultLimits, type Limits } from "../../../core/domain/Account.ts"
import { TestDatabase } from "../../support/Database.ts"

const tenantTables = [
  "adjustment",
  "balance",
  "block",
  "closing",
  "consumption",
  "delivery",
  "deposit_reference",
  "entry",
  "event",
  "funding_proposal",
  "idempotency",
  "insurance",
  "option",
  "question",
  "replay",
  "resolution",
  "reversal",
  "sms",
  "sublist_block",
  "transaction",
  "webhook"
]

/** The tables of a cell that have no rows of companies. */
const ofNoCompany = ["departed", "follow_up", "schema_file"]

layer(TestDatabase)("the schema of a cell", (it) => {
  it.effect("has the company id first in every primary, unique and foreign key", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const keys = yield* sql<{ relation: string; name: string; first: string }>`
        select c.relname as relation, i.relname as name, a.attname as first
        from pg_index as x
        join pg_class as c on c.oid = x.indrelid
        join pg_class as i on i.oid = x.indexrelid
        join pg_namespace as n on n.oid = c.relnamespace
        join pg_attribute as a on a.attrelid = c.oid and a.attnum = x.indkey[0]
        where n.nspname = 'cell' and x.indisunique and c.relname <> all (${ofNoCompany})
        union all
        select c.relname, k.conname, a.attname
        from pg_constraint as k
        join pg_class as c on c.oid = k.conrelid
        join pg_namespace as n on n.oid = c.relnamespace
        join pg_attribute as a on a.attrelid = c.oid and a.attnum = k.conkey[1]
        where n.nspname = 'cell' and k.contype = 'f'`
      assert.deepStrictEqual([...new Set(keys.map(({ relation }) => relation))].sort(), tenantTables)
      assert.isEmpty(keys.filter(({ first }) => first !== "company_id"))
    })
  )

  it.effect("refers to no object outside the cell", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const foreign = yield* sql`
        select k.conname
        from pg_constraint as k
        join pg_namespace as own on own.oid = k.connamespace
        join pg_class as target on target.oid = k.confrelid
        where own.nspname = 'cell' and k.contype = 'f' and target.relnamespace <> own.oid`
      assert.isEmpty(foreign)
      const functions = yield* sql<{ name: string; settings: ReadonlyArray<string> | null }>`
        select p.proname as name, p.proconfig as settings
        from pg_proc as p
        join pg_namespace as n on n.oid = p.pronamespace
        where n.nspname = 'cell' and p.prorettype <> 'trigger'::regtype and p.provolatile <> 'i'`
      assert.isNotEmpty(functions)
      for (const { name, settings } of functions) {
        assert.include(settings ?? [], "search_path=cell, pg_temp", name)
      }
    })
  )

  it.effect("never reads the clock of the database", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const clocks = yield* sql`
        select p.proname as name
        from pg_proc as p
        join pg_namespace as n on n.oid = p.pronamespace
        where n.nspname in ('cell', 'directory', 'catalogue')
          and p.prosrc ~* '(\\m(now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday)\\M *\\(|\\mcurrent_(date|time|timestamp)\\M|\\mlocaltime)'`
      assert.isEmpty(clocks)
      const defaults = yield* sql`
        select d.oid
        from pg_attrdef as d
        join pg_class as c on c.oid = d.adrelid
        join pg_namespace as n on n.oid = c.relnamespace
        where n.nspname in ('cell', 'directory', 'catalogue')
          and pg_get_expr(d.adbin, d.adrelid) ~* '(now\\(|timestamp|current_date)'`
      assert.isEmpty(defaults)
    })
  )
})

layer(TestDatabase)("the default limits of a company", (it) => {
  it.effect("are those of the contract in a new balance row", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const rows = yield* sql<Limits>`
        insert into cell.balance (company_id, updated_at)
        values (1, 'epoch')
        returning limit_daily::int as daily, limit_weekly::int as weekly, limit_monthly::int as monthly`
      assert.deepStrictEqual(rows, [defaultLimits])
    })
  )

  // A company without a balance row has no money, so no sale reaches a limit. The test therefore reads the limits in
  // the source of the function.
  it.effect("are the default limits for a reservation without a balance row", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const [limits] = yield* sql<Limits>`
        select
          cell.default_limit('diario')::int as daily,
          cell.default_limit('semanal')::int as weekly,
          cell.default_limit('mensual')::int as monthly`
      assert.deepStrictEqual(limits, defaultLimits)
      const read = yield* sql<{ found: readonly [string, string] }>`
        select regexp_matches(prosrc, 'coalesce\\(b\\.limit_(\\w+), default_limit\\(''(\\w+)''\\)\\)', 'g') as found
        from pg_proc
        where pronamespace = 'cell'::regnamespace`
      assert.deepStrictEqual(
        read.map(({ found }) => found),
        [
          ["daily", "diario"],
          ["weekly", "semanal"],
          ["monthly", "mensual"]
        ]
      )
    })
  )
})

describe("the version of the schema", () => {
  it.effect("rises with every change of the SQL files", () =>
    Effect.gen(function* () {
      const { digest, versions } = yield* sqlFiles
      assert.deepStrictEqual(
        versions.map(({ version }) => version),
        versions.map((_, index) => index + 1)
      )
      assert.strictEqual(
        versions.at(-1)?.digest,
        digest,
        `sql has changed: add the line "${versions.length + 1} ${digest}" to sql/versions.txt`
      )
    })
  )

  it.effect("is at least the number in the name of each migration file", () =>
    Effect.gen(function* () {
      const { cell, directory, versions } = yield* sqlFiles
      const numbersOf = ({ once }: SqlFileSet) => once.flatMap(({ name }) => /^\d{4}(?=_)/.exec(name) ?? []).map(Number)
      for (const set of [directory, cell]) assert.deepStrictEqual(numbersOf(set), [...new Set(numbersOf(set))])
      const numbers = [directory, cell].flatMap(numbersOf)
      for (const number of numbers) assert.isTrue(number > 1 && number <= versions.length, String(number))
    })
  )
})

layer(TestDatabase)("every table", (it) => {
  it.effect("has a comment", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const silent = yield* sql`
        select c.oid::regclass::text as table
        from pg_class as c
        where c.relnamespace in ('cell'::regnamespace, 'directory'::regnamespace, 'catalogue'::regnamespace)
          and c.relkind = 'r'
          and obj_description(c.oid, 'pg_class') is null`
      assert.isEmpty(silent)
    })
  )
})
