import { DateTime, Effect, Option } from "effect"
import type { CellName, CellState, NodeName } from "../domain/Cell.ts"
import { CellMoving, UnknownCell } from "../domain/CellErrors.ts"
import { CellDirectory } from "../ports/CellDirectory.ts"
import { CellFilter } from "../ports/CellFilter.ts"
import { atomically, recordAudit, requireAction } from "./AuditTrail.ts"

/** Adds a cell for new companies on a node. Returns false if the cell exists. */
export const addCell = Effect.fn("ManageCells.addCell")(function* (name: CellName, node: NodeName) {
  yield* requireAction("cell")
  const cells = yield* CellDirectory
  // Records the request before the cell exists, so that the audit log has the request even if the process
  // dies in between.
  yield* recordAudit("cell_asked", {}, { cell: name, node })
  const isNew = yield* cells.add(name, node)
  if (isNew) yield* recordAudit("cell_added", {}, { cell: name, node })
  return isNew
})

/** Finds a cell that is not moving. Refuses a moving cell, because the end of its move decides whether the cell is open. */
const stayingCell = Effect.fnUntraced(function* (name: CellName) {
  const known = yield* (yield* CellDirectory).list
  const cell = known.find((each) => each.name === name)
  if (cell === undefined) return yield* new UnknownCell({ name })
  if (cell.movingTo !== null)
    return yield* new CellMoving({ name, source: cell.node, target: cell.movingTo, why: "other" })
  return cell
})

/** Changes the state of a cell. Returns whether it changed. */
const setState = Effect.fnUntraced(function* (name: CellName, state: CellState) {
  const { node } = yield* stayingCell(name)
  const cells = yield* CellDirectory
  const before = yield* cells.setState(name, state)
  // A move of the cell has begun since it was read.
  if (Option.isNone(before)) return yield* new CellMoving({ name, source: node, target: node, why: "other" })
  if (before.value === state) return false
  yield* recordAudit(state === "open" ? "cell_opened" : "cell_closed", {}, { cell: name })
  return true
}, atomically)

/**
 * Closes a cell that is not moving. First the calls of its companies are refused, then the database refuses every new write
 * of these companies. Returns whether the cell was open. A repeated call finishes an interrupted call.
 */
export const closeCell = Effect.fn("ManageCells.closeCell")(function* (name: CellName) {
  yield* requireAction("cell")
  const wasOpen = yield* setState(name, "closed")
  const cells = yield* CellDirectory
  yield* cells.setCompanies(name, "closed", yield* DateTime.now)
  return wasOpen
})

/** Opens a closed cell. Returns whether the cell was closed. A repeated call finishes an interrupted call. */
export const openCell = Effect.fn("ManageCells.openCell")(function* (name: CellName) {
  yield* requireAction("cell")
  const cells = yield* CellDirectory
  yield* stayingCell(name)
  yield* cells.setCompanies(name, "open", yield* DateTime.now)
  const wasClosed = yield* setState(name, "open")
  // Opens also the companies that moved to the cell while it was closed.
  if (wasClosed) yield* cells.setCompanies(name, "open", yield* DateTime.now)
  return wasClosed
})

/** Limits an operator's read to one cell. Null: the read covers all cells. */
export const withinCell =
  (name: CellName | null) =>
  <A, E, R>(read: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const cells = yield* CellDirectory
      if (name !== null && !(yield* cells.list).some((cell) => cell.name === name))
        return yield* new UnknownCell({ name })
      return yield* Effect.provideService(read, CellFilter, name)
    })
