import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { spreadIds } from "../../adapters/postgres/schema/CellIds.ts"
import { TestDatabase } from "../support/Database.ts"
import { addCell } from "../support/SeveralCells.ts"

/** Draws ids from a sequence until an effect has ended, and then ten more ids. */
const drawn = Effect.fnUntraced(function* (sequence: string, until: Fiber.Fiber<unknown, unknown>) {
  const sql = yield* PgClient.PgClient
  const ids: Array<number> = []
  for (let more = 10; more > 0; ) {
    const [row] = yield* sql<{ id: number }>`select nextval(${sequence}::regclass)::int as id`
    ids.push(row?.id ?? 0)
    if (until.pollUnsafe() !== undefined) more--
  }
  return ids
})

const isAscending = (ids: ReadonlyArray<number>) => ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? 0))

/** The ordinals of the cells that assigned the ids. */
const ordinalsOf = (ids: ReadonlyArray<number>) => new Set(ids.map((id) => id % 256))

/** Draws the next id from the sequence with this name in each given cell. */
const nextOf = Effect.fnUntraced(function* (name: string, cells: ReadonlyArray<string>) {
  const sql = yield* PgClient.PgClient
  return yield* Effect.forEach(cells, (cell) =>
    Effect.map(sql<{ id: number }>`select nextval(${`${cell}.${name}`}::regclass)::int as id`, ([row]) => row?.id ?? 0)
  )
})

describe("the id sequences of cells", () => {
  layer(TestDatabase)((it) => {
    it.effect("count by one while there is only one cell", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* sql.withTransaction(spreadIds)
        assert.deepStrictEqual(yield* nextOf("transaction_id", ["cell", "cell", "cell"]), [1, 2, 3])
      })
    )

    it.effect("assign no id twice while cells are added during sales", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* sql`select setval('cell.entry_id', 1000)`
        for (const name of ["norte", "sur"]) {
          const adding = yield* Effect.forkChild(addCell(name))
          const ids = yield* Effect.replicateEffect(drawn("cell.transaction_id", adding), 3, {
            concurrency: "unbounded"
          })
          yield* Fiber.join(adding)
          for (const each of ids) assert.isTrue(isAscending(each))
          const all = ids.flat()
          assert.strictEqual(new Set(all).size, all.length)
          const [first = 0, second = 0] = yield* nextOf("transaction_id", [name, name])
          assert.isAbove(first, name === "norte" ? 256 : 512)
          assert.strictEqual(second - first, 256)
        }
        assert.deepStrictEqual(ordinalsOf(yield* nextOf("transaction_id", ["cell", "cell"])), new Set([0]))
        assert.deepStrictEqual(ordinalsOf(yield* nextOf("transaction_id", ["norte", "norte"])), new Set([1]))
        assert.deepStrictEqual(ordinalsOf(yield* nextOf("transaction_id", ["sur", "sur"])), new Set([2]))
        const [entry = 0, ...others] = yield* nextOf("entry_id", ["cell", "norte", "sur"])
        assert.strictEqual(entry, 1024)
        assert.deepStrictEqual(others, [1025, 1026])
      })
    )

    it.effect("assign different ids in each cell, also if a later version adds the sequence", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* sql`create sequence cell.later_id`
        yield* sql`select setval('cell.later_id', 256)`
        yield* sql`create sequence norte.later_id`
        yield* sql.withTransaction(spreadIds)
        assert.deepStrictEqual(yield* nextOf("later_id", ["cell", "norte", "norte"]), [512, 513, 769])
        const counts = yield* sql<{ step: bigint }>`
          select distinct increment_by as step from pg_sequences where schemaname in ('cell', 'norte', 'sur')`
        assert.deepStrictEqual(counts, [{ step: 256n }])
        // A repeated call changes nothing.
        yield* sql.withTransaction(spreadIds)
        assert.deepStrictEqual(yield* nextOf("later_id", ["cell", "norte"]), [768, 1025])
      })
    )
  })
})
