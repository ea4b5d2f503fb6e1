import { DateTime, Effect, Option } from "effect"
import type { CellMove, CellName, NodeName } from "../domain/Cell.ts"
import { CellMoving, CellNotMoved, UnknownCell } from "../domain/CellErrors.ts"
import { CellDirectory } from "../ports/CellDirectory.ts"
import { CellMoves } from "../ports/CellMoves.ts"
import { CompanyMoves } from "../ports/CompanyMoves.ts"
import { atomically, recordAudit, requireAction } from "./AuditTrail.ts"
import { awaitIdle, MovePauses } from "./MoveCompany.ts"

/** The result of a move. */
interface CellMoved {
  /** The cell's node before the move. Equals `node` if the cell has not moved. */
  readonly source: NodeName
  /** The node of the cell. */
  readonly node: NodeName
  /** False if the cell was and is on this node. */
  readonly hasMoved: boolean
  /** Number of rows. Null if an interrupted command had moved them. */
  readonly rows: number | null
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
const begun = Effect.fnUntraced(function* (name: CellName, target: NodeName) {
  const moves = yield* CellMoves
  const { isFirst, node } = yield* nodeOf(name)
  const earlier = yield* moves.find(name)
  if (Option.isSome(earlier)) return earlier.value
  if (node === target) return null
  // Servers expect the first cell in the database of the directory.
  if (isFirst) return yield* new CellNotMoved({ name, why: "first" })
  yield* moves.require(name, [node, target])
  if (yield* moves.begin({ name, source: node, target }, yield* DateTime.now))
    yield* recordAudit("cell_move_begun", {}, { cell: name, from: node, to: target })
  const move = yield* moves.find(name)
  if (Option.isSome(move)) return move.value
  // Another command has moved the cell in the meantime.
  const now = yield* nodeOf(name)
  return now.node === target ? null : yield* new CellMoving({ name, source: node, target: now.node, why: "busy" })
}, atomically)

/**
 * Waits until no operation of the closed cell is in progress. Returns false if transactions still write its
 * rows afterwards.
 */
const settledDown = Effect.fnUntraced(function* (name: CellName) {
  const moves = yield* CellMoves
  yield* awaitIdle((at) => moves.inFlight(name, at))
  const companies = yield* CompanyMoves
  return yield* companies.writersGone(name)
})

/** The result of a command that does not hold the move. Fails unless another command has ended the move on this node. */
const endedByAnother = Effect.fnUntraced(function* (move: CellMove, node: NodeName) {
  const moves = yield* CellMoves
  if ((yield* nodeOf(move.name)).node !== node || Option.isSome(yield* moves.find(move.name)))
    return yield* new CellMoving({ ...move, why: "busy" })
  return { source: move.source, node, hasMoved: node !== move.source, rows: null } satisfies CellMoved
})

/** Ends the move on this node. Returns false if another command has done so. */
const end = Effect.fnUntraced(function* (move: CellMove, node: NodeName) {
  const moves = yield* CellMoves
  const cells = yield* CellDirectory
  if (!(yield* moves.end(move, node))) return false
  if (move.wasOpen) yield* cells.setState(move.name, "open")
  const details = { cell: move.name, from: move.source, to: move.target }
  yield* recordAudit(node === move.source ? "cell_move_abandoned" : "cell_moved", {}, details)
  return true
}, atomically)

const openCompanies = Effect.fnUntraced(function* ({ name, wasOpen }: CellMove) {
  const cells = yield* CellDirectory
  if (wasOpen) yield* cells.setCompanies(name, "open", yield* DateTime.now)
})

/** Leaves the cell on its node. The transaction holds the move, so no other command moves the rows between the steps. */
const giveUp = Effect.fnUntraced(function* (move: CellMove) {
  const moves = yield* CellMoves
  if (!(yield* moves.clear(move)) || (yield* nodeOf(move.name)).node !== move.source) return false
  yield* openCompanies(move)
  return yield* end(move, move.source)
}, atomically)

/**
 * Moves a cell to another node, with its unfinished sales, messages and deliveries. First the cell is closed, then its schema
 * moves, then the cell is opened if it was open before. The calls of its companies are refused during the move.
 *
 * A repeated call finishes an interrupted move. If the target is the cell's current node, the call cancels the interrupted
 * move.
 */
export const moveCell = Effect.fn("MoveCell.moveCell")(function* (name: CellName, target: NodeName) {
  yield* requireAction("cell")
  const moves = yield* CellMoves
  const cells = yield* CellDirectory
  const move = yield* begun(name, target)
  if (move === null) return { source: target, node: target, hasMoved: false, rows: null } satisfies CellMoved
  const { source } = move
  const { node } = yield* nodeOf(name)
  const isAbandoned = target === source && node === source
  if (!isAbandoned && target !== move.target) return yield* new CellMoving({ ...move, why: "other" })
  yield* moves.require(name, [source, move.target])

  if (isAbandoned) {
    if (!(yield* giveUp(move))) return yield* endedByAnother(move, source)
    return { source, node: source, hasMoved: false, rows: null } satisfies CellMoved
  }

  const { directory } = yield* MovePauses
  let rows: number | null = null
  if (node !== target) {
    yield* cells.setCompanies(name, "closed", yield* DateTime.now)
    // After these waits no process accepts calls of the cell, and no process reads its rows on the old node.
    const [, isQuiet] = yield* Effect.all([Effect.sleep(directory), settledDown(name)], { concurrency: "unbounded" })
    if (!isQuiet) return yield* new CellMoving({ ...move, why: "busy" })
    const moved = yield* moves.transfer(move)
    if (Option.isNone(moved)) return yield* endedByAnother(move, target)
    rows = moved.value
  }
  if (!(yield* moves.clear(move))) return yield* endedByAnother(move, target)
  // After this pause every process that accepts calls of the cell knows its new node.
  yield* Effect.sleep(directory)
  yield* openCompanies(move)
  if (!(yield* end(move, target))) return yield* endedByAnother(move, target)
  return { source, node: target, hasMoved: true, rows } satisfies CellMoved
})
