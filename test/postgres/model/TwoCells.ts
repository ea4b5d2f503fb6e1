import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import * as Cells from "../../../adapters/postgres/cells/Cells.ts"
import { TestDatabase } from "../../support/Database.ts"
import { addCell, cellNames, viewTables } from "../../support/SeveralCells.ts"

/** The first company id of the scenarios. The companies with odd and with even ids are in different cells. */
export const firstCompany = 1_000

const companies_max = 10_000

const [first, second] = cellNames

/** A new database with two cells, and the companies of all scenarios. The tables of the second cell are views. */
export const TwoCells = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* addCell(second)
    yield* viewTables(second)
    yield* sql`
      insert into directory.company (id, legal_name, code, environment, created_at, cell)
      overriding system value
      select i, 'Empresa ' || i, 'E' || i, 'production', now(), (array[${first}, ${second}]::text[])[i % 2 + 1]
      from generate_series(${firstCompany}::int, ${firstCompany + companies_max}::int) as i`
  })
).pipe(Layer.orDie, Layer.provideMerge(Layer.provideMerge(Cells.layer, TestDatabase)))
