import { Context, DateTime, Duration, Effect, Option, Schedule } from "effect"
import { type CellName, type CompanyMove, directoryAge_max } from "../domain/Cell.ts"
import { CellNotOpen, CellsUnreachable, CompanyMoving, UnknownCell } from "../domain/CellErrors.ts"
import type { CompanyId } from "../domain/Ids.ts"
import { type LostPlace, lostPlace, requireBoth } from "../domain/MoveReach.ts"
import { CellDirectory } from "../ports/CellDirectory.ts"
import { CompanyMoves } from "../ports/CompanyMoves.ts"
import { ReportProgress } from "../ports/Progress.ts"
import { atomically, recordAudit, requireAction } from "./AuditTrail.ts"
import { companyOf } from "./ManageCompany.ts"

/** How long a move waits before and after it moves the rows. */
export const MovePauses = Context.Reference<{
  /**
   * Pause until no process uses an older state of the directory. It is one second longer than the maximum age of a cached
   * state, because a call may just have read that state.
   */
  readonly directory: Duration.Duration
  /** Longest wait for the sales, reversals, messages and deliveries in progress to end. Leases end within a minute. */
  readonly inFlight_max: Duration.Duration
}>("saldo/core/MovePauses", {
  defaultValue: () => ({
    directory: Duration.sum(directoryAge_max, Duration.seconds(1)),
    inFlight_max: Duration.minutes(2)
  })
})

/** The result of a move. */
interface CompanyMoved {
  /** The company's cell before the move. Equals `cell` if the company has not moved. */
  readonly source: CellName
  /** The cell of the company. */
  readonly cell: CellName
  /** False if the company was in this cell before. */
  readonly hasMoved: boolean
  /** Number of moved rows. Null if an earlier command moved them and was then interrupted. */
  readonly rows: number | null
  /** The lost server, which may have frozen rows of the company. Null if none is lost. */
  readonly lostNode: string | null
}

/** An operator's options for a move. */
export interface MoveOptions {
  /** Whether the server of the source is lost. If the directory names the target, the rows on the lost server stay there. */
  readonly isSourceLost?: boolean
}

/** Waits until no operation is in progress, but at most as long as leases are valid. */
export const awaitIdle = Effect.fnUntraced(function* <R>(
  inFlight: (at: DateTime.Utc) => Effect.Effect<number, never, R>
) {
  const { inFlight_max } = yield* MovePauses
  const began = yield* DateTime.now
  let now = began
  while ((yield* inFlight(now)) > 0 && Duration.isLessThan(DateTime.distance(began, now), inFlight_max)) {
    yield* Effect.sleep("100 millis")
    now = yield* DateTime.now
  }
})

/**
 * Records the move, or finds the move that an interrupted command has begun. Null if there is nothing to do,
 * because the company is in the cell.
 */
const begun = Effect.fnUntraced(function* (companyId: CompanyId, target: CellName, isSourceLost: boolean) {
  const moves = yield* CompanyMoves
  const company = yield* companyOf(companyId)
  const earlier = yield* moves.find(companyId)
  if (Option.isSome(earlier)) return earlier.value
  if (company.cell === target) return null
  const cells = yield* CellDirectory
  const known = yield* cells.list
  if (!known.some(({ name }) => name === target)) return yield* new UnknownCell({ name: target })
  const reach = yield* moves.reach(company.cell, target)
  if (isSourceLost) return yield* new CellsUnreachable({ node: reach.source.node, why: "not_begun" })
  yield* Effect.fromResult(requireBoth(reach))
  if (yield* moves.begin(company, target, yield* DateTime.now))
    yield* recordAudit("company_move_begun", { companyId }, { from: company.cell, to: target })
  const move = yield* moves.find(companyId)
  if (Option.isSome(move)) return move.value
  // Another command may have moved the company in the meantime.
  return (yield* companyOf(companyId)).cell === target ? null : yield* new CellNotOpen({ name: target })
}, atomically)

/**
 * Waits until no operation of the closed company is in progress. Returns false if transactions still write
 * its rows afterwards.
 */
const settledDown = Effect.fnUntraced(function* (move: CompanyMove) {
  const moves = yield* CompanyMoves
  yield* awaitIdle((at) => moves.inFlight(move, at))
  // A transaction may have read the open company just before it was closed, and write its rows without the balance's lock.
  return yield* moves.writersGone(move.source)
})

/** Moves the rows, and reports the progress meanwhile. */
const transferred = Effect.fnUntraced(function* (move: CompanyMove) {
  const moves = yield* CompanyMoves
  const report = yield* ReportProgress
  const watched = moves
    .progress(move.companyId)
    .pipe(
      Effect.flatMap(Option.match({ onNone: () => Effect.void, onSome: ({ done, total }) => report(done, total) })),
      Effect.repeat(Schedule.spaced("1 second"))
    )
  return yield* Effect.raceFirst(moves.transfer(move), Effect.andThen(watched, Effect.never))
})

/** The result of a command that could not lock the move. Fails unless another command has ended the move in `cell`. */
const endedByAnother = Effect.fnUntraced(function* (move: CompanyMove, cell: CellName, lost: LostPlace | null) {
  const moves = yield* CompanyMoves
  const company = yield* companyOf(move.companyId)
  if (company.cell !== cell || Option.isSome(yield* moves.find(move.companyId)))
    return yield* new CompanyMoving({ ...move, why: "busy" })
  return movedTo(move, cell, { rows: null, lost })
})

const movedTo = (
  { source }: CompanyMove,
  cell: CellName,
  { lost, rows }: { readonly rows: number | null; readonly lost: LostPlace | null }
): CompanyMoved => ({ source, cell, hasMoved: cell !== source, rows, lostNode: lost?.node ?? null })

/** Ends the move, with the company in this cell. Returns false if another command has ended the move. */
const end = Effect.fnUntraced(function* (move: CompanyMove, cell: CellName, lost: LostPlace | null) {
  const moves = yield* CompanyMoves
  const { companyId, source, target } = move
  if (!(yield* moves.end(move, { cell, now: yield* DateTime.now }))) return false
  const action = cell === source ? "company_move_abandoned" : "company_moved"
  yield* recordAudit(action, { companyId }, { from: source, to: target, ...(lost !== null && { lost: lost.node }) })
  return true
}, atomically)

/** Cancels the move. The transaction locks the move, so no other command moves the rows between the steps. */
const giveUp = Effect.fnUntraced(function* (move: CompanyMove, lost: LostPlace | null) {
  const moves = yield* CompanyMoves
  return (yield* moves.clear(move, lost)) && (yield* end(move, move.source, lost))
}, atomically)

/** Closes the company and moves its rows. None if another command has locked or ended the move. */
const moveRows = Effect.fnUntraced(function* (move: CompanyMove) {
  const moves = yield* CompanyMoves
  const { directory } = yield* MovePauses
  if (!(yield* moves.close(move, yield* DateTime.now))) return Option.none()
  // After these waits no process accepts calls of the company, and no process reads its rows in the old cell.
  const [, isQuiet] = yield* Effect.all([Effect.sleep(directory), settledDown(move)], { concurrency: "unbounded" })
  if (!isQuiet) return yield* new CompanyMoving({ ...move, why: "busy" })
  return yield* transferred(move)
})

/**
 * Moves a company to another cell, with its unfinished sales, messages and deliveries. First the company is closed, then its
 * rows move, then the company is opened. Its calls are refused during the move.
 *
 * A repeated call finishes an interrupted move. If the target is the company's current cell, the call cancels the
 * interrupted move, also if the other server is lost. If the old server is lost and the directory names the new cell,
 * `isSourceLost` finishes the move.
 */
export const moveCompany = Effect.fn("MoveCompany.moveCompany")(function* (
  companyId: CompanyId,
  target: CellName,
  { isSourceLost = false }: MoveOptions = {}
) {
  yield* requireAction("cell")
  const moves = yield* CompanyMoves
  const move = yield* begun(companyId, target, isSourceLost)
  if (move === null)
    return { source: target, cell: target, hasMoved: false, rows: null, lostNode: null } satisfies CompanyMoved
  const { source } = move
  const { cell } = yield* companyOf(companyId)
  const isGivenUp = target === source && cell === source
  if (!isGivenUp && target !== move.target) return yield* new CompanyMoving({ ...move, why: "other" })
  const place = cell === source ? "source" : "target"
  const reach = yield* moves.reach(source, move.target)
  const lost = yield* Effect.fromResult(lostPlace(reach, { place, isGivenUp, isSourceLost }))
  if (isGivenUp)
    return (yield* giveUp(move, lost))
      ? movedTo(move, source, { rows: null, lost })
      : yield* endedByAnother(move, source, lost)

  let rows: number | null = null
  if (cell !== target) {
    const moved = yield* moveRows(move)
    if (Option.isNone(moved)) return yield* endedByAnother(move, target, lost)
    rows = moved.value
  }
  if (!(yield* moves.clear(move, lost))) return yield* endedByAnother(move, target, lost)
  // After this pause every process that accepts calls of the company knows its new cell.
  yield* Effect.sleep((yield* MovePauses).directory)
  if (!(yield* end(move, target, lost))) return yield* endedByAnother(move, target, lost)
  return movedTo(move, target, { rows, lost })
})
