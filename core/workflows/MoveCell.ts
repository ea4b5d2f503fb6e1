import { DateTime, Effect, Option } from "effect"
import type { CellMove, CellName, NodeName } from "../domain/Cell.ts"
import { CellMoving, CellNotMoved, CellsUnreachable, UnknownCell } from "../domain/CellErrors.ts"
import { type LostPlace, lostPlace, requireBoth } from "../domain/MoveReach.ts"
import { CellDirectory } from "../ports/CellDirectory.ts"
import { CellMoves } from "../ports/CellMoves.ts"
import { CompanyMoves } from "../ports/CompanyMoves.ts"
import { atomically, recordAudit, requireAction } from "./AuditTrail.ts"
import { awaitIdle, type MoveOptions, MovePauses } from "./MoveCompany.ts"

/** The result of a move. */
interface CellMoved {
  /** The cell's node before the move. Equals `node` if the cell has not moved. */
  readonly source: NodeName
  /** The node of the cell. */
  readonly node: NodeName
  /** False if the cell was on this node before. */
  readonly hasMoved: boolean
  /** Number of moved rows. Null if an earlier command moved them and was then interrupted. */
  readonly rows: number | null
  /** The lost server, which may have a frozen schema of the cell. Null if none is lost. */
  readonly lostNode: string | null
}

const nodeOf = Effect.fnUntraced(function* (name: CellName) {
  const cells = yield* CellDirectory
  const known = yield* cells.list
  const cell = known.find((each) => each.name === name)
  if (cell === undefined) return yield* new UnknownCell({ name })
  return { node: cell.node, isFirst: known[0]?.name === name }
})

/**
 * Records the move, or finds the move that an interrupted command has begun. Null if there is nothing to do, because the cell
 * is on the node.
 */
const begun = Effect.fnUntraced(function* (name: CellName, target: NodeName, isSourceLost: boolean) {
  const moves = yield* CellMoves
  const { isFirst, node } = yield* nodeOf(name)
  const earlier = yield* moves.find(name)
  if (Option.isSome(earlier)) return earlier.value
  if (node === target) return null
  if (isSourceLost) return yield* new CellsUnreachable({ node, why: "not_begun" })
  // Servers expect the first cell in the database of the directory.
  if (isFirst) return yield* new CellNotMoved({ name, why: "first" })
  yield* Effect.fromResult(requireBoth(yield* moves.reach({ name, source: node, target })))
  if (yield* moves.begin({ name, source: node, target }, yield* DateTime.now))
    yield* recordAudit("cell_move_begun", {}, { cell: name, from: node, to: target })
  const move = yield* moves.find(name)
  if (Option.isSome(move)) return move.value
  // Another command has moved the cell in the meantime.
  const now = yield* nodeOf(name)
  return now.node === target ? null : yield* new CellMoving({ name, source: node, target: now.node, why: "busy" })
}, atomically)

/**
 * Waits until no operation of the closed cell is in progress, for a limited time. Then waits for transactions that still
 * write its rows. Returns false if one of these transactions does not end.
 */
const settledDown = Effect.fnUntraced(function* (name: CellName) {
  const moves = yield* CellMoves
  yield* awaitIdle((at) => moves.inFlight(name, at))
  const companies = yield* CompanyMoves
  return yield* companies.writersGone(name)
})

/** The result of a command that could not lock the move. Fails unless another command has ended the move on `node`. */
const endedByAnother = Effect.fnUntraced(function* (move: CellMove, node: NodeName, lost: LostPlace | null) {
  const moves = yield* CellMoves
  if ((yield* nodeOf(move.name)).node !== node || Option.isSome(yield* moves.find(move.name)))
    return yield* new CellMoving({ ...move, why: "busy" })
  return movedTo(move, node, { rows: null, lost })
})

const movedTo = (
  { source }: CellMove,
  node: NodeName,
  { lost, rows }: { readonly rows: number | null; readonly lost: LostPlace | null }
): CellMoved => ({ source, node, hasMoved: node !== source, rows, lostNode: lost?.node ?? null })

/** Ends the move, with the cell on this node. Returns false if another command has ended the move. */
const end = Effect.fnUntraced(function* (move: CellMove, node: NodeName, lost: LostPlace | null) {
  const moves = yield* CellMoves
  const cells = yield* CellDirectory
  if (!(yield* moves.end(move, node))) return false
  if (move.wasOpen) yield* cells.setState(move.name, "open")
  const details = { cell: move.name, from: move.source, to: move.target, ...(lost !== null && { lost: lost.node }) }
  yield* recordAudit(node === move.source ? "cell_move_abandoned" : "cell_moved", {}, details)
  return true
}, atomically)

/** Cancels the move. The transaction locks the move, so no other command moves the rows between the steps. */
const giveUp = Effect.fnUntraced(function* (move: CellMove, lost: LostPlace | null) {
  const moves = yield* CellMoves
  if (!(yield* moves.clear(move, lost)) || (yield* nodeOf(move.name)).node !== move.source) return false
  const cells = yield* CellDirectory
  if (move.wasOpen) yield* cells.setCompanies(move.name, "open", yield* DateTime.now)
  return yield* end(move, move.source, lost)
}, atomically)

/** Closes the companies of the cell and copies the cell. None if another command has locked or ended the move. */
const moveRows = Effect.fnUntraced(function* (move: CellMove) {
  const moves = yield* CellMoves
  const cells = yield* CellDirectory
  const { directory } = yield* MovePauses
  // Without the lock, another command could cancel the move and open the companies just before this command closes them.
  const closed = yield* moves.whileHeld(move, cells.setCompanies(move.name, "closed", yield* DateTime.now))
  if (Option.isNone(closed)) return Option.none()
  // After these waits no process accepts calls of the cell, and no process reads its rows on the old node.
  const [, isQuiet] = yield* Effect.all([Effect.sleep(directory), settledDown(move.name)], { concurrency: "unbounded" })
  if (!isQuiet) return yield* new CellMoving({ ...move, why: "busy" })
  return yield* moves.transfer(move)
})

/**
 * Moves a cell to another node, with its unfinished sales, messages and deliveries. First the cell is closed, then its schema
 * moves, then the cell is opened if it was open before. The calls of its companies are refused during the move.
 *
 * A repeated call finishes an interrupted move. If the target is the cell's current node, the call cancels the interrupted
 * move, also if the other node is lost. If the old node is lost and the directory names the new one, `isSourceLost` finishes
 * the move.
 */
export const moveCell = Effect.fn("MoveCell.moveCell")(function* (
  name: CellName,
  target: NodeName,
  { isSourceLost = false }: MoveOptions = {}
) {
  yield* requireAction("cell")
  const moves = yield* CellMoves
  const move = yield* begun(name, target, isSourceLost)
  if (move === null)
    return { source: target, node: target, hasMoved: false, rows: null, lostNode: null } satisfies CellMoved
  const { source } = move
  const { node } = yield* nodeOf(name)
  const isGivenUp = target === source && node === source
  if (!isGivenUp && target !== move.target) return yield* new CellMoving({ ...move, why: "other" })
  const place = node === source ? "source" : "target"
  const lost = yield* Effect.fromResult(lostPlace(yield* moves.reach(move), { place, isGivenUp, isSourceLost }))
  if (isGivenUp)
    return (yield* giveUp(move, lost))
      ? movedTo(move, source, { rows: null, lost })
      : yield* endedByAnother(move, source, lost)

  let rows: number | null = null
  if (node !== target) {
    const moved = yield* moveRows(move)
    if (Option.isNone(moved)) return yield* endedByAnother(move, target, lost)
    rows = moved.value
  }
  if (!(yield* moves.clear(move, lost))) return yield* endedByAnother(move, target, lost)
  // After this pause every process that accepts calls of the cell knows its new node.
  yield* Effect.sleep((yield* MovePauses).directory)
  const cells = yield* CellDirectory
  const open = cells.setCompanies(name, "open", yield* DateTime.now)
  const opened = yield* moves.whileHeld(move, move.wasOpen ? open : Effect.void)
  if (Option.isNone(opened) || !(yield* end(move, target, lost))) return yield* endedByAnother(move, target, lost)
  return movedTo(move, target, { rows, lost })
})
