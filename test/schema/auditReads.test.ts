import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { auditing, broken } from "../../adapters/postgres/AuditPostgres.ts"
import { TestDatabase } from "../support/Database.ts"
import { rebuildLists, setBlockLength } from "../support/SalesHistory.ts"

const sales = 20_000

// That no money moved for them is nothing to this test.
const sell = (company: number, members: number) => `
  insert into cell.transaction (
    company_id, id, xid, idempotency_key, status, environment, service_id, service_name, service_type, identifier, amount,
    reversible, day, created_at, processed_at, auth_code
  )
  select ${company}, n, 'x-' || n, 'k-' || n, 'SUCCESS', 'development', 1, 's', 'generic', 'iii', 100, false, '2026-01-01',
    '2026-01-01', '2026-01-01', 'a'
  from generate_series(1, ${members}) as n`

const deposit = `
  insert into cell.entry (company_id, id, type, amount, balance, reference, created_at)
  select 2, n, 'deposit', 100, 0, n, '2026-01-01' from generate_series(1, 1000) as n`

const enter = `
  insert into cell.entry (company_id, id, type, amount, balance, transaction_id, created_at)
  select company_id, 1000 + id, 'sale', -amount, 0, id, created_at from cell.transaction where company_id = 2`

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

/** No query holds more rows against others than there are sales. */
const holdsFew = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  for (const [invariant, query] of Object.entries(broken)) {
    const [row] = yield* sql.unsafe<{ "QUERY PLAN": ReadonlyArray<{ Plan: Node }> }>(
      `explain (analyze, format json) ${query}`
    ).unprepared
    const [explained] = row?.["QUERY PLAN"] ?? []
    assert.isDefined(explained)
    if (explained !== undefined) assert.isAtMost(mismatched(explained.Plan), sales, invariant)
  }
})

layer(TestDatabase)("an audit holds rows only against those that they belong to", (it) => {
  it.effect("of a company that has begun to sell since the planner looked at its deposits", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql.unsafe(deposit).unprepared
      yield* sql.unsafe("analyze cell.entry").unprepared
      yield* sql.unsafe(sell(2, sales / 4)).unprepared
      yield* sql.unsafe(enter).unprepared
      yield* auditing(holdsFew)
    })
  )

  it.effect("of a company that has sold twenty blocks", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql.unsafe(sell(1, sales)).unprepared
      yield* setBlockLength(1_000)
      yield* rebuildLists
      yield* sql.unsafe("analyze cell.transaction, cell.block").unprepared
      yield* auditing(holdsFew)
    })
  )
})
