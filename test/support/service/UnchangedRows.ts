import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { Effect } from "effect"

/** What a table holds: how many rows, and a number that another row, or another word in one, would change. */
interface Content {
  readonly table: string
  readonly rows: string
  readonly digest: string
}

// One statement for all of them: the tests look very often. That an answer was heard again is noted after it was heard,
// so a note may fall in here that is of a call before.
const contents = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const tables = yield* sql<{
    name: string
  }>`select tablename as name from pg_tables where schemaname = 'cell' and tablename <> 'replay'`
  const each = tables.map(
    ({ name }) => `
      select '${name}' as table, count(*)::text as rows, coalesce(sum(hashtextextended(t::text, 0)), 0)::text as digest
      from cell.${name} as t`
  )
  return yield* sql<Content>`${sql.literal(each.join(" union all "))} order by 1`
}).pipe(Effect.orDie)

/** Does what must leave every row of every table that has to do with money as it was. */
export const leavesRowsUnchanged = Effect.fnUntraced(function* <A, E, R>(what: Effect.Effect<A, E, R>) {
  const before = yield* contents
  const answer = yield* what
  assert.deepStrictEqual(yield* contents, before)
  return answer
})

/** Does for each of them what must leave money and rows as they were. */
export const allLeaveRowsUnchanged = <A, B, E, R>(all: Iterable<A>, what: (one: A) => Effect.Effect<B, E, R>) =>
  leavesRowsUnchanged(Effect.forEach(all, what, { discard: true }))
