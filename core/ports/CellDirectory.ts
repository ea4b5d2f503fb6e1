import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Cell, CellName, CellState, MeasuredCell, NodeName } from "../domain/Cell.ts"
import type { CellNameTaken, CellNotAdded } from "../domain/CellErrors.ts"

/** The operator's register of cells. A change applies in every process within seconds. */
export class CellDirectory extends Context.Service<
  CellDirectory,
  {
    /** The oldest cell first. */
    readonly list: Effect.Effect<ReadonlyArray<Cell>>
    /** The cells of `list` with the sizes of their tables. Asks the server of each cell. */
    readonly measured: Effect.Effect<ReadonlyArray<MeasuredCell>>
    /**
     * Makes an open cell with its tables and its ids on a node, completely or not at all. Returns false if the cell exists.
     * Needs the login that owns the database.
     */
    readonly add: (name: CellName, node: NodeName) => Effect.Effect<boolean, CellNameTaken | CellNotAdded>
    /** Returns the state before the change, or None if the cell does not exist or is moving. Needs a transaction. */
    readonly setState: (name: CellName, state: CellState) => Effect.Effect<Option.Option<CellState>>
    /**
     * Closes or opens each company of the cell. Waits for the SQL functions that are changing the company's balance. A
     * repeated call changes nothing.
     */
    readonly setCompanies: (name: CellName, state: CellState, at: DateTime.Utc) => Effect.Effect<void>
  }
>()("saldo/core/CellDirectory") {}
