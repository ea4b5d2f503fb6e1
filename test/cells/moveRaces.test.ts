import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Ledger } from "../../core/ports/Ledger.ts"
import { violatedInvariants } from "../support/Database.ts"
import { opened } from "../support/SalesOnPostgres.ts"
import { testRaces } from "./MoveRaces.ts"
import { MovesOnThreeCells, move, rowsOf } from "./Moves.ts"

layer(MovesOnThreeCells, { excludeTestServices: true, timeout: "5 minutes" })(
  "a company that moves meanwhile",
  (it) => {
    testRaces(it, {
      companies: [300, 303, 306],
      moveAround: (company) =>
        Effect.forEach(["norte", "sur", "cell", "norte"], (cell) => move(company, cell), { discard: true }),
      last: "norte",
      atEnd: (read) => read
    })

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
          // Ends a move that an operator could not end.
          yield* Effect.ignore(move(309, homes[0] ?? "cell"))
        }
      })
    )
  }
)
