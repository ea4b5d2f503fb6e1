import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import { run, sqlFiles } from "../../../adapters/postgres/schema/SqlFiles.ts"
import { TestDatabase, violatedInvariants } from "../../support/Database.ts"
import { loadSalesHistory, setBlockLength } from "../../support/SalesHistory.ts"
import { deposit, reserve, settle } from "./BatchStatements.ts"

const TestLayer = Layer.provideMerge(AuditPostgres.layer, TestDatabase)

const runAll = Effect.fnUntraced(function* (statements: ReadonlyArray<string>) {
  const sql = yield* PgClient.PgClient
  for (const statement of statements) yield* sql.unsafe(statement).unprepared
})

const blocksOf = (company: number) =>
  PgClient.PgClient.use(
    (sql) => sql`select * from cell.sublist_block where company_id = ${company} order by sublist, first_id`
  )

layer(TestLayer, { excludeTestServices: true })("blocks of the sales of a service or terminal", (it) => {
  it.effect("have the counts of a block for each service, each terminal, and each pair of service and terminal", () =>
    Effect.gen(function* () {
      yield* setBlockLength(6)
      yield* runAll(deposit([1]))
      for (const n of [0, 1]) yield* runAll(reserve([1], 1, n))
      yield* runAll(settle([1], 1, 3))
      const rows = yield* blocksOf(1)
      assert.deepStrictEqual(
        rows.map(({ failed, first_id, last_id, members, pending, sublist, success }) => [
          sublist,
          Number(first_id),
          Number(last_id),
          [members, pending, success, failed]
        ]),
        // Sales 1 to 6 have the services 2, 3, 1, 2, 3, 2. Sales 5 and 6 are PROCESSING. Sale 5 has no terminal.
        [
          ["service 1", 3, 3, [1, 0, 1, 0]],
          ["service 1 terminal caja 2", 3, 3, [1, 0, 1, 0]],
          ["service 2", 1, 6, [3, 0, 0, 2]],
          ["service 2 terminal ", 1, 1, [1, 0, 0, 1]],
          ["service 2 terminal 1", 6, 6, [1, 0, 0, 0]],
          ["service 2 terminal service 1", 4, 4, [1, 0, 0, 1]],
          ["service 3", 2, 5, [2, 1, 0, 0]],
          ["service 3 terminal 1", 2, 2, [1, 1, 0, 0]],
          ["terminal ", 1, 1, [1, 0, 0, 1]],
          ["terminal 1", 2, 6, [2, 1, 0, 0]],
          ["terminal caja 2", 3, 3, [1, 0, 1, 0]],
          ["terminal service 1", 4, 4, [1, 0, 0, 1]]
        ]
      )
    })
  )

  it.effect(
    "count a sale that is reserved late, with an id before or between the ids of its terminal's other sales",
    () =>
      Effect.gen(function* () {
        yield* setBlockLength(5)
        yield* runAll(deposit([2]))
        for (const n of [2, 3, 1, 0, 5, 4]) yield* runAll(reserve([2], 1_000, n))
        yield* runAll(settle([2], 1_000, 40))
        assert.isNotEmpty(yield* blocksOf(2))
        assert.deepStrictEqual(yield* violatedInvariants, [])
      })
  )

  it.effect("are the same after the migration as when the sales themselves create them", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { cell } = yield* sqlFiles
      const migration = cell.once.find(({ name }) => name.endsWith("_sublists"))
      assert.isDefined(migration)
      yield* setBlockLength(100)
      yield* loadSalesHistory({ company: 3, sales: 1_250, days: 3 })
      const built = yield* blocksOf(3)
      assert.isAbove(built.length, 12 * 20)
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`drop table cell.sublist_block`
          yield* sql`drop function cell.sublists_of, cell.sublist_of`
          yield* sql`set local search_path = cell, pg_temp`
          if (migration !== undefined) yield* run(migration)
          assert.deepStrictEqual(yield* blocksOf(3), built)
        })
      )
    })
  )
})
