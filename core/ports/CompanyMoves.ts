import { Context, type DateTime, type Effect, type Option } from "effect"
import type { CellName, CompanyMove } from "../domain/Cell.ts"
import type { Company } from "../domain/Company.ts"
import type { CompanyId } from "../domain/Ids.ts"
import type { LostPlace, MoveReach } from "../domain/MoveReach.ts"

/**
 * The steps of moving a company to another cell, which may be on another server. Each step may be repeated. At any time only
 * the cell that the directory names for the company accepts writes of the company's rows.
 */
export class CompanyMoves extends Context.Service<
  CompanyMoves,
  {
    /** Whether rows can be moved between the cells. Needs the login that owns them if one is on another server. */
    readonly reach: (source: string, target: CellName) => Effect.Effect<MoveReach>
    /** The move of a company that has begun and not ended. */
    readonly find: (companyId: CompanyId) => Effect.Effect<Option.Option<CompanyMove>>
    /**
     * Records the move. Returns false if the company is already moving, if the company has left its cell, if the target is
     * not open, or if one of the cells is moving.
     */
    readonly begin: (company: Company, target: CellName, at: DateTime.Utc) => Effect.Effect<boolean>
    /**
     * Closes the company. Waits for the SQL functions that are changing its balance. Returns false if another process is moving
     * the company's rows, or if the move has ended.
     */
    readonly close: (move: CompanyMove, at: DateTime.Utc) => Effect.Effect<boolean>
    /**
     * Waits for all transactions that are writing rows of the cell now, for any company. Returns false if one of them has not
     * ended after 30 seconds.
     */
    readonly writersGone: (cell: CellName) => Effect.Effect<boolean>
    /** Number of sales, reversals, messages and deliveries of the company that a process is working on. */
    readonly inFlight: (move: CompanyMove, at: DateTime.Utc) => Effect.Effect<number>
    /**
     * Moves all rows of a closed company, and names the other cell in the directory. If the process dies meanwhile, the
     * directory still names a cell with all rows.
     *
     * @returns the number of rows, 0 if the company was already in the target, or None if other transactions kept its rows
     * locked.
     */
    readonly transfer: (move: CompanyMove) => Effect.Effect<Option.Option<number>>
    /** Progress of a running transfer: rows moved, and rows in total. None if no transfer is running. */
    readonly progress: (
      companyId: CompanyId
    ) => Effect.Effect<Option.Option<{ readonly done: number; readonly total: number }>>
    /**
     * Deletes the other cell's copy of the rows, and makes the rows in the company's own cell writable. Returns false if other
     * transactions kept rows locked, or if the company is in the lost place.
     *
     * @param lost the place that does not answer. The rows in this place stay frozen.
     */
    readonly clear: (move: CompanyMove, lost: LostPlace | null) => Effect.Effect<boolean>
    /**
     * Ends the move if the company is in the given cell. Opens the company, unless this cell is closed. Returns false if the
     * company is in another cell, if the move had ended, or if another process is moving the rows. Needs a transaction.
     */
    readonly end: (
      move: CompanyMove,
      at: { readonly cell: CellName; readonly now: DateTime.Utc }
    ) => Effect.Effect<boolean>
  }
>()("saldo/core/CompanyMoves") {}
