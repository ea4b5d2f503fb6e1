import { Context, type DateTime, type Effect, type Option } from "effect"
import type { CellName, CompanyMove } from "../domain/Cell.ts"
import type { Company } from "../domain/Company.ts"
import type { CompanyId } from "../domain/Ids.ts"

/** The steps of moving a company to another cell of the same database. Each step may be repeated. */
export class CompanyMoves extends Context.Service<
  CompanyMoves,
  {
    /** The move of a company that has begun and not ended. */
    readonly find: (companyId: CompanyId) => Effect.Effect<Option.Option<CompanyMove>>
    /**
     * Records the move and closes the company, completely or not at all. Waits for the money functions that are writing the
     * balance. Returns false if the company is already moving, if it has left its cell, or if the target is not open.
     */
    readonly begin: (company: Company, target: CellName, at: DateTime.Utc) => Effect.Effect<boolean>
    /** Names of the transactions that are writing rows of the cell, of any company. */
    readonly writers: (cell: CellName) => Effect.Effect<ReadonlySet<string>>
    /** Number of sales, reversals, messages and deliveries of the company that a process is working on. */
    readonly inFlight: (move: CompanyMove, at: DateTime.Utc) => Effect.Effect<number>
    /**
     * Moves all rows of a closed company, and the company in the directory. All of this happens, or nothing.
     *
     * @returns the number of rows, 0 if the company was already in the target, or None if other transactions kept its rows
     * locked.
     */
    readonly transfer: (move: CompanyMove) => Effect.Effect<Option.Option<number>>
    /** How many rows of a running transfer are done, and how many there are. None if none is running. */
    readonly progress: (
      companyId: CompanyId
    ) => Effect.Effect<Option.Option<{ readonly done: number; readonly total: number }>>
    /**
     * Ends the move. Opens the company, unless the cell in which it now is is closed. Returns false if the move had ended.
     */
    readonly end: (move: CompanyMove, at: DateTime.Utc) => Effect.Effect<boolean>
  }
>()("saldo/core/CompanyMoves") {}
