import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { Effect } from "effect"

/** Every row of every table that has to do with money. */
const rows = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const tables = yield* sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'cell'`
  const found = yield* Effect.forEach(tables, ({ name }) =>
    Effect.map(
      sql<{ line: string }>`select to_jsonb(t)::text as line from ${sql.literal(`cell.${name}`)} as t`,
      (lines) => lines.map(({ line }) => `${name} ${line}`)
    )
  )
  return new Set(found.flat())
}).pipe(Effect.orDie)

/** Does what must leave money and rows as they were. */
export const unchanged = Effect.fnUntraced(function* <A, E, R>(what: Effect.Effect<A, E, R>) {
  const before = yield* rows
  const answer = yield* what
  const after = yield* rows
  assert.deepStrictEqual(
    { gone: [...before.difference(after)], come: [...after.difference(before)] },
    { gone: [], come: [] }
  )
  return answer
})

/** Does for each of them what must leave money and rows as they were. */
export const unchangedByAll = <A, B, E, R>(all: Iterable<A>, what: (one: A) => Effect.Effect<B, E, R>) =>
  unchanged(Effect.forEach(all, what, { discard: true }))
