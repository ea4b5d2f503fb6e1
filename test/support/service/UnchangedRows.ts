import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { everyCell, type NamedCell } from "../../../adapters/postgres/connection/Cell.ts"

/** Content of a table: its number of rows, and a digest that changes when any row or value changes. */
interface Content {
  readonly table: string
  readonly rows: string
  readonly digest: string
}

// A single statement reads all tables of a cell, because the tests compare them often. The table `replay` is left out,
// because a replay is recorded after its response. The record of an earlier call may therefore be written between two reads.
const contentsOf = Effect.fnUntraced(function* ({ name: cell, sql }: NamedCell) {
  const tables = yield* sql<{
    name: string
  }>`select tablename as name from pg_tables where schemaname = ${cell} and tablename <> 'replay'`
  const each = tables.map(
    ({ name }) => `
      select '${cell}.${name}' as table, count(*)::text as rows, coalesce(sum(hashtextextended(t::text, 0)), 0)::text as digest
      from ${cell}.${name} as t`
  )
  return yield* sql<Content>`${sql.literal(each.join(" union all "))} order by 1`
})

const contents = Effect.gen(function* () {
  const cells = yield* yield* everyCell
  return (yield* Effect.forEach(cells, contentsOf)).flat()
}).pipe(Effect.orDie)

/** Runs an effect and asserts that it changed no row of the ledger's tables. */
export const leavesRowsUnchanged = Effect.fnUntraced(function* <A, E, R>(what: Effect.Effect<A, E, R>) {
  const before = yield* contents
  const answer = yield* what
  assert.deepStrictEqual(yield* contents, before)
  return answer
})

/** Runs an effect for each item and asserts that it changed no row of the ledger's tables. */
export const allLeaveRowsUnchanged = <A, B, E, R>(all: Iterable<A>, what: (one: A) => Effect.Effect<B, E, R>) =>
  leavesRowsUnchanged(Effect.forEach(all, what, { discard: true }))
