import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Sha256Node from "../../adapters/crypto/Sha256Node.ts"
import * as InsurancesMemory from "../../adapters/memory/InsurancesMemory.ts"
import * as Cells from "../../adapters/postgres/cells/Cells.ts"
import * as ClosingsOfCells from "../../adapters/postgres/cells/ClosingsOfCells.ts"
import * as EventsOfCells from "../../adapters/postgres/cells/EventsOfCells.ts"
import * as FollowUpsOfCells from "../../adapters/postgres/cells/FollowUpsOfCells.ts"
import * as InsurancesOfCells from "../../adapters/postgres/cells/InsurancesOfCells.ts"
import * as LedgerOfCells from "../../adapters/postgres/cells/LedgerOfCells.ts"
import { CellName } from "../../adapters/postgres/connection/Cell.ts"
import * as AuditPostgres from "../../adapters/postgres/reads/AuditPostgres.ts"
import { connectedTo, copyOfPrepared, violatedInvariants } from "../support/Database.ts"
import { addCell, cellNames, readPlacements, uniteCellsSql } from "../support/SeveralCells.ts"

const threeCells = copyOfPrepared(
  "template_three_cells",
  Effect.gen(function* () {
    yield* Effect.forEach(cellNames.slice(1), addCell, { discard: true })
    const sql = yield* PgClient.PgClient
    yield* sql.unsafe(uniteCellsSql).unprepared
    yield* sql`
      insert into directory.company (id, legal_name, code, environment, created_at, cell)
      overriding system value
      select i, 'Empresa ' || i, 'E' || i, 'production', now(), (array['cell', 'norte', 'sur'])[i % 3 + 1]
      from generate_series(300, 329) as i`
  })
)

/** A new database with three cells and the companies 300 to 329. `cellOf` returns the cell of each. */
export const ThreeCells = connectedTo(threeCells)

/** The cell of a company of the test database. */
export const cellOf = (company: number) => cellNames[company % 3] ?? "cell"

/** The ports of a server, over the cells of a database. */
export const portsOfCells = Layer.mergeAll(
  ClosingsOfCells.layer,
  ClosingsOfCells.proposalsLayer,
  EventsOfCells.layer,
  EventsOfCells.reportsLayer,
  FollowUpsOfCells.layer,
  InsurancesOfCells.layer,
  LedgerOfCells.layer
).pipe(
  Layer.provide(Cells.layer),
  Layer.provideMerge(Layer.mergeAll(InsurancesMemory.vaultLayer, SecureRandom.layerWebCrypto, Sha256Node.layer))
)

/** The rows of companies in other cells than their own. Empty if each company has its rows in its cell. */
export const strayRows = Effect.map(readPlacements, (placements) =>
  placements
    .filter(({ cell, companyId }) => cell !== cellOf(companyId))
    .map(({ cell, companyId, table }) => `${cell}.${table}: ${companyId}`)
)

/** The tables in which a cell has rows. */
export const filledTables = (name: string) =>
  Effect.map(readPlacements, (placements) => [
    ...new Set(placements.flatMap(({ cell, table }) => (cell === name ? [table] : [])))
  ])

/** The invariants that the audits of the cells find violated. */
export const violationsInCells = Effect.map(
  Effect.forEach(cellNames, (cell) =>
    violatedInvariants.pipe(Effect.provide(Layer.fresh(AuditPostgres.layer)), Effect.provideService(CellName, cell))
  ),
  (violated) => violated.flat()
)
