import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { migrate } from "../../adapters/postgres/schema/Migrations.ts"
import { TestDatabase } from "../support/Database.ts"
import { setBlockLength, testBlockLength } from "../support/SalesHistory.ts"

/** The cells of the test database, in the order of their ordinals. */
export const cellNames = ["cell", "norte", "sur"] as const

/** Adds a cell to the test database. */
export const addCell = Effect.fnUntraced(function* (name: string) {
  const sql = yield* PgClient.PgClient
  yield* sql`insert into directory.cell (name, ordinal) select ${name}, count(*) from directory.cell`
  yield* migrate
  yield* setBlockLength(testBlockLength, name)
})

/** A new database with three cells and the companies 300 to 329. `cellOf` has the cell of each. */
export const ThreeCells = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* Effect.forEach(cellNames.slice(1), addCell, { discard: true })
    const sql = yield* PgClient.PgClient
    yield* sql`
      insert into directory.company (id, legal_name, code, environment, created_at, cell)
      overriding system value
      select i, 'Empresa ' || i, 'E' || i, 'production', now(), (array['cell', 'norte', 'sur'])[i % 3 + 1]
      from generate_series(300, 329) as i`
  })
).pipe(Layer.orDie, Layer.provideMerge(TestDatabase))

/** The cell of a company of the test database. */
export const cellOf = (company: number) => cellNames[company % 3]
