import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { defaultLimits, type Limits } from "../../core/domain/Limits.ts"
import { TestDatabase } from "../support/Database.ts"

layer(TestDatabase)("the limits of a company for whom nobody has set any", (it) => {
  it.effect("are the contract's in a row that is made without them", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const rows = yield* sql<Limits>`
        insert into cell.balance (company_id, updated_at)
        values (1, 'epoch')
        returning limit_daily::int as daily, limit_weekly::int as weekly, limit_monthly::int as monthly`
      assert.deepStrictEqual(rows, [defaultLimits])
    })
  )

  // Without a row there is no money, so a sale shows the first of them at most: they are read in the function's text.
  it.effect("are the same where a reservation finds no row", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const written = yield* sql<{ found: readonly [string, string] }>`
        select regexp_matches(prosrc, 'coalesce\\(b\\.limit_(\\w+), (\\d+)\\)', 'g') as found
        from pg_proc
        where pronamespace = 'cell'::regnamespace`
      assert.deepStrictEqual(
        written.map(({ found: [period, limit] }) => [period, Number(limit)]),
        Object.entries(defaultLimits)
      )
    })
  )
})
