import { Context, type DateTime, type Effect, type Option } from "effect"
import type { CellMove, CellName, NodeName } from "../domain/Cell.ts"
import type { CellNotMoved } from "../domain/CellErrors.ts"
import type { LostPlace, MoveReach } from "../domain/MoveReach.ts"

/** The steps of moving a cell to another node. Each step may be repeated. */
export class CellMoves extends Context.Service<
  CellMoves,
  {
    /** The move of a cell that has begun and not ended. */
    readonly find: (name: CellName) => Effect.Effect<Option.Option<CellMove>>
    /** Whether the cell can be moved between the nodes. Needs the login that owns the databases. */
    readonly reach: (move: Pick<CellMove, "name" | "source" | "target">) => Effect.Effect<MoveReach>
    /**
     * Records the move, and closes the cell in the directory. Returns false if another move has begun, or if the cell is no
     * longer on the source.
     */
    readonly begin: (move: Omit<CellMove, "wasOpen">, at: DateTime.Utc) => Effect.Effect<boolean, CellNotMoved>
    /**
     * Runs `work`. Meanwhile no other process moves the cell or ends the move. Returns None, and does not run `work`, if
     * another process is moving the cell or if the move has ended.
     */
    readonly whileHeld: <A>(move: CellMove, work: Effect.Effect<A>) => Effect.Effect<Option.Option<A>>
    /** Number of sales, reversals, messages and deliveries of the cell that a process is working on. */
    readonly inFlight: (name: CellName, at: DateTime.Utc) => Effect.Effect<number>
    /**
     * Copies the schema of a closed cell to the other node, and then names the other node in the directory. If the process dies
     * meanwhile, the directory still names a node with the whole cell.
     *
     * @returns the number of rows, 0 if the cell was already on that node, or None if other transactions locked its tables.
     */
    readonly transfer: (move: CellMove) => Effect.Effect<Option.Option<number>>
    /**
     * Drops the other node's copy of the schema, and makes the schema on the cell's own node writable. Returns false if other
     * transactions kept tables locked, or if the cell's own node does not answer.
     *
     * @param lost the place that does not answer. The schema in this place stays frozen.
     */
    readonly clear: (move: CellMove, lost: LostPlace | null) => Effect.Effect<boolean>
    /**
     * Removes the record of the move if the cell is on the given node. Returns false if it is on another node, if the move had
     * ended, or if another process is moving the cell. Needs a transaction.
     */
    readonly end: (move: CellMove, node: NodeName) => Effect.Effect<boolean>
  }
>()("saldo/core/CellMoves") {}
