import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { Cause, DateTime, Effect, Exit, Layer } from "effect"
import { CellName } from "../../adapters/postgres/connection/Cell.ts"
import * as LedgerPostgres from "../../adapters/postgres/ledger/LedgerPostgres.ts"
import { isOfClosedCompany } from "../../core/domain/ErrorCatalogue.ts"
import type { Order } from "../../core/domain/Sale.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { rowsOf } from "./Moves.ts"
import { delivered } from "./Trade.ts"

/** The ledger of a server that uses this cell, even if the directory names another cell for the company. */
export const ledgerIn = (cell: string) =>
  Layer.fresh(LedgerPostgres.layer).pipe(Layer.provide(Layer.succeed(CellName, cell)))

/** Settles a sale in a cell, like a server that does not know of the move yet. */
export const lateSettlement = (cell: string, order: Order) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    return yield* ledger.settle({ order, verdict: delivered, at: yield* DateTime.now, notFound: 0 })
  }).pipe(Effect.provide(ledgerIn(cell)), Effect.exit)

/** The tables of a cell in which rows of a company can be changed or deleted. */
const writableTables = (cell: string, company: number) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const tables = Object.keys(yield* rowsOf(cell, company))
    const tried = yield* Effect.forEach(tables, (table) =>
      Effect.forEach(
        [`update ${cell}.${table} set company_id = company_id`, `delete from ${cell}.${table}`],
        (statement) => Effect.exit(sql.unsafe(`${statement} where company_id = ${company}`)),
        { concurrency: 1 }
      )
    )
    return tables.filter((_, index) => tried[index]?.some(Exit.isSuccess))
  })

/** Asserts that a cell refuses a late outcome, and every other change of the company's rows. */
export const assertFrozen = Effect.fnUntraced(function* (cell: string, company: number, pending: Order) {
  const exit = yield* lateSettlement(cell, pending)
  assert.isTrue(Exit.isFailure(exit) && isOfClosedCompany(Cause.squash(exit.cause)), `${cell}: ${exit}`)
  assert.deepStrictEqual(yield* writableTables(cell, company), [])
})

/** The rows of a company as they are while it is closed. */
export const closedRows = (rows: Readonly<Record<string, ReadonlyArray<string>>>) => ({
  ...rows,
  balance: (rows.balance ?? []).map((row) => row.replace('"closed": false', '"closed": true'))
})
