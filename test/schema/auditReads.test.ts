import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { broken } from "../../adapters/postgres/AuditPostgres.ts"
import { blocksAreOf, listed } from "../../tools/Lists.ts"
import { TestDatabase } from "../support/Database.ts"

const sales = 20_000

// Twenty blocks of sales. That no money moved for them is nothing to this test.
const history = `
  insert into cell.transaction (
    company_id, id, xid, idempotency_key, status, environment, service_id, service_name, service_type, identifier, amount,
    reversible, day, created_at, processed_at, auth_code
  )
  select 1, n, 'x-' || n, 'k-' || n, 'SUCCESS', 'development', 1, 's', 'generic', 'iii', 100, false, '2026-01-01', '2026-01-01',
    '2026-01-01', 'a'
  from generate_series(1, ${sales}) as n`

/** A step of a plan that was carried out. */
interface Node {
  readonly "Rows Removed by Join Filter"?: number
  readonly "Actual Loops": number
  readonly Plans?: ReadonlyArray<Node>
}

/** How many pairs of rows were put together and found not to belong together. */
const mismatched = (node: Node): number =>
  (node["Rows Removed by Join Filter"] ?? 0) * node["Actual Loops"] +
  (node.Plans ?? []).reduce((sum, child) => sum + mismatched(child), 0)

layer(TestDatabase)("an audit of a company that has sold much", (it) => {
  it.effect("holds rows only against those that they belong to", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql.unsafe(history).unprepared
      yield* blocksAreOf(1_000)
      yield* listed
      yield* sql.unsafe("analyze cell.transaction, cell.block").unprepared
      for (const [invariant, query] of Object.entries(broken)) {
        const [row] = yield* sql.unsafe<{ "QUERY PLAN": ReadonlyArray<{ Plan: Node }> }>(
          `explain (analyze, format json) ${query}`
        ).unprepared
        const [explained] = row?.["QUERY PLAN"] ?? []
        assert.isDefined(explained)
        if (explained !== undefined) assert.isAtMost(mismatched(explained.Plan), sales, invariant)
      }
    })
  )
})
