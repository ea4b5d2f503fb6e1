import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, type Layer, Result } from "effect"
import { Statement } from "effect/sql"
import { CellName } from "../../core/domain/Cell.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { closeCell, openCell } from "../../core/workflows/ManageCells.ts"
import { violatedInvariants } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { opened } from "../support/SalesOnPostgres.ts"
import { testRaces } from "./MoveRaces.ts"
import { MovesOnThreeCells, move, rowsOf, sells } from "./Moves.ts"

layer(MovesOnThreeCells, { excludeTestServices: true, timeout: "5 minutes" })("a company that is moving", (it) => {
  testRaces(it, {
    companies: [300, 303, 306],
    moveAround: (company) =>
      Effect.forEach(["norte", "sur", "cell", "norte"], (cell) => move(company, cell), { discard: true }),
    last: "norte",
    atEnd: (read) => read
  })

  it.effect("is not opened when an operator opens its cell", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const context = yield* Effect.context<Layer.Success<typeof MovesOnThreeCells>>()
      const cell = CellName.make("cell")
      yield* opened(yield* Ledger, 312, 1_000)
      yield* closeCell(cell)
      const moves: Array<Fiber.Fiber<unknown, unknown>> = []
      // The move begins, or waits for the opening, just before the opening writes the balances.
      const begun = eventually(
        sql`
            select from directory.company_move where company_id = 312
            union all
            select from pg_stat_activity where wait_event_type = 'Lock' and query like '%directory.cell%for share%'`,
        (rows) => rows.length > 0
      )
      const transformer: Statement.Transformer = Effect.fnUntraced(function* (statement) {
        const [text] = statement.compile()
        if (!text.includes("close_companies(") || moves.length > 0) return statement
        const run = Effect.runForkWith(context)
        moves.push(run(move(312, "norte")))
        yield* Effect.orDie(Fiber.join(run(begun)))
        return statement
      })
      yield* Effect.provideService(openCell(cell), Statement.CurrentTransformer, transformer)
      yield* Effect.forEach(moves, Fiber.join)
      assert.lengthOf(moves, 1)
      assert.strictEqual(yield* sells(312, "despues"), "sold")
      assert.deepStrictEqual(Object.keys(yield* rowsOf("cell", 312)), [])
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )

  it.effect("is in one cell at the end when several operators move it at the same time", () =>
    Effect.gen(function* () {
      yield* opened(yield* Ledger, 309, 1_000)
      for (let round = 1; round <= 4; round++) {
        const results = yield* Effect.forEach(
          ["norte", "sur", "norte", "cell"],
          (cell) => Effect.result(move(309, cell)),
          { concurrency: "unbounded" }
        )
        const refused = results.filter(Result.isFailure).map(({ failure }) => failure._tag)
        assert.isEmpty(refused.filter((tag) => tag !== "CompanyMoving" && tag !== "CellNotOpen"))
        const homes = yield* Effect.filter(["cell", "norte", "sur"], (cell) =>
          Effect.map(rowsOf(cell, 309), (rows) => Object.keys(rows).length > 0)
        )
        assert.lengthOf(homes, 1)
        assert.deepStrictEqual(yield* violatedInvariants, [])
        // Ends the move that the commands may have left unfinished.
        yield* Effect.ignore(move(309, homes[0] ?? "cell"))
      }
    })
  )
})
