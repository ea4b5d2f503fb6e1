import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import * as Cells from "../../../adapters/postgres/cells/Cells.ts"
import { addCell as addCellOn } from "../../../adapters/postgres/schema/AddCell.ts"
import { clusterUrl } from "../../cells/CitusCluster.ts"
import { connectedToCluster, node, onSecondNode } from "../../cells/TwoNodes.ts"
import { TestDatabase } from "../../support/Database.ts"
import { setBlockLength, testBlockLength } from "../../support/SalesHistory.ts"
import { addCell, cellNames, viewTables } from "../../support/SeveralCells.ts"

/** The first company of a scenario. Its companies follow it, in the first cell and in the second cell by turns. */
export const firstCompany = 1_000

const companies_max = 10_000

const [first, second] = cellNames

/**
 * A new database with the second cell. The tables of the second cell are views, as in a Citus cluster. If there is a cluster,
 * the second cell is on a worker.
 */
const databases =
  clusterUrl === undefined
    ? Layer.provideMerge(Layer.effectDiscard(Effect.andThen(addCell(second), viewTables(second))), TestDatabase)
    : Layer.provideMerge(
        Layer.effectDiscard(
          Effect.andThen(addCellOn(second, node), onSecondNode(setBlockLength(testBlockLength, second)))
        ),
        connectedToCluster
      )

/** Two cells, and the companies of all scenarios. */
export const TwoCells = Layer.effectDiscard(
  PgClient.PgClient.use(
    (sql) => sql`
      insert into directory.company (id, legal_name, code, environment, created_at, cell)
      overriding system value
      select i, 'Empresa ' || i, 'E' || i, 'production', now(), (array[${first}, ${second}]::text[])[i % 2 + 1]
      from generate_series(${firstCompany}::int, ${firstCompany + companies_max}::int) as i`
  )
).pipe(Layer.provideMerge(databases), Layer.orDie, (prepared) => Layer.provideMerge(Cells.layer, prepared))
