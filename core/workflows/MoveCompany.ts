import { Clock, Context, DateTime, Duration, Effect, Option, Schedule } from "effect"
import { type CellName, type CompanyMove, directoryAge_max } from "../domain/Cell.ts"
import type { CompanyId } from "../domain/Ids.ts"
import { CellNotOpen, CellsApart, CompanyMoving, UnknownCell } from "../domain/OperatorErrors.ts"
import { CellDirectory } from "../ports/CellDirectory.ts"
import { CompanyMoves } from "../ports/CompanyMoves.ts"
import { ReportProgress } from "../ports/Progress.ts"
import { atomically, recordAudit, requireAction } from "./AuditTrail.ts"
import { companyOf } from "./ManageCompany.ts"

/** How long a move waits before and after it moves the rows. */
export const MovePauses = Context.Reference<{
  /** Until no process uses an older state of the directory. One second more than its age, for calls that have just read it. */
  readonly directory: Duration.Duration
  /** At most, until the sales, reversals, messages and deliveries in progress have ended. Leases end within a minute. */
  readonly inFlight_max: Duration.Duration
}>("saldo/core/MovePauses", {
  defaultValue: () => ({
    directory: Duration.sum(directoryAge_max, Duration.seconds(1)),
    inFlight_max: Duration.minutes(2)
  })
})

/** How long a move waits for the transactions that were writing when the company was closed. */
const writers_max = Duration.seconds(30)

/** The result of a move. */
interface CompanyMoved {
  /** The cell that the company has left, or the cell in which it stays. */
  readonly source: CellName
  /** The cell of the company. */
  readonly cell: CellName
  /** False if the company was and is in this cell. */
  readonly hasMoved: boolean
  /** Number of rows. Null if an interrupted command had moved them. */
  readonly rows: number | null
}

/** Waits until a condition holds, or until the time is over. Returns whether it holds. */
const waitUntil = Effect.fnUntraced(function* <R>(
  condition: Effect.Effect<boolean, never, R>,
  most: Duration.Duration
) {
  const began_ms = yield* Clock.currentTimeMillis
  let holds = yield* condition
  while (!holds && (yield* Clock.currentTimeMillis) - began_ms < Duration.toMillis(most)) {
    yield* Effect.sleep("100 millis")
    holds = yield* condition
  }
  return holds
})

/**
 * Records and begins the move, or finds the move that an interrupted command has begun. Null if there is nothing to do,
 * because the company is in the cell.
 */
const begun = Effect.fnUntraced(function* (companyId: CompanyId, target: CellName) {
  const moves = yield* CompanyMoves
  const company = yield* companyOf(companyId)
  const earlier = yield* moves.find(companyId)
  if (Option.isSome(earlier)) return earlier.value
  if (company.cell === target) return null
  const cells = yield* CellDirectory
  const known = yield* cells.list
  if (!known.some(({ name }) => name === target)) return yield* new UnknownCell({ name: target })
  // One transaction moves the rows, and it reaches only the cells in the database of the directory.
  if (known.some(({ name, node }) => node !== "main" && (name === target || name === company.cell)))
    return yield* new CellsApart({ companyId, source: company.cell, target })
  if (yield* moves.begin(company, target, yield* DateTime.now))
    yield* recordAudit("company_move_begun", { companyId }, { from: company.cell, to: target })
  const move = yield* moves.find(companyId)
  return Option.isSome(move) ? move.value : yield* new CellNotOpen({ name: target })
}, atomically)

/** Waits until nothing of the closed company is in progress. Returns false if transactions go on writing. */
const settledDown = Effect.fnUntraced(function* (move: CompanyMove) {
  const moves = yield* CompanyMoves
  const { inFlight_max } = yield* MovePauses
  yield* waitUntil(
    Effect.map(
      Effect.flatMap(DateTime.now, (at) => moves.inFlight(move, at)),
      (n) => n === 0
    ),
    inFlight_max
  )
  // A transaction may have read the open company just before it was closed, and write its rows without the balance's lock.
  const before = yield* moves.writers(move.source)
  const areGone = Effect.map(moves.writers(move.source), (now) => [...before].every((writer) => !now.has(writer)))
  return yield* waitUntil(areGone, writers_max)
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
  const rows = yield* Effect.raceFirst(moves.transfer(move), Effect.andThen(watched, Effect.never))
  if (Option.isNone(rows)) return yield* new CompanyMoving({ ...move, why: "busy" })
  return rows.value
})

const end = Effect.fnUntraced(function* (move: CompanyMove, isAbandoned: boolean) {
  const moves = yield* CompanyMoves
  const { companyId, source, target } = move
  if (!(yield* moves.end(move, yield* DateTime.now))) return
  yield* recordAudit(
    isAbandoned ? "company_move_abandoned" : "company_moved",
    { companyId },
    { from: source, to: target }
  )
}, atomically)

/**
 * Moves a company to another cell, with everything that is pending. Its calls are refused meanwhile. First the company is
 * closed, then its rows move in one transaction, then it is opened.
 *
 * A repeated call ends what an interrupted one began. A move to the cell in which the company still is ends a move that has
 * begun, and leaves the company there.
 */
export const moveCompany = Effect.fn("MoveCompany.moveCompany")(function* (companyId: CompanyId, target: CellName) {
  yield* requireAction("cell")
  const move = yield* begun(companyId, target)
  if (move === null) return { source: target, cell: target, hasMoved: false, rows: null } satisfies CompanyMoved
  const { source } = move
  const { cell } = yield* companyOf(companyId)
  if (target === source && cell === source) {
    yield* end(move, true)
    return { source, cell: source, hasMoved: false, rows: null } satisfies CompanyMoved
  }
  if (target !== move.target) return yield* new CompanyMoving({ ...move, why: "other" })

  const { directory } = yield* MovePauses
  let rows: number | null = null
  if (cell !== target) {
    // Afterwards no process takes calls of the company, and none reads its rows in the old cell.
    const [, isQuiet] = yield* Effect.all([Effect.sleep(directory), settledDown(move)], { concurrency: "unbounded" })
    if (!isQuiet) return yield* new CompanyMoving({ ...move, why: "busy" })
    rows = yield* transferred(move)
  }
  // Afterwards each process that takes calls of the company also knows its cell.
  yield* Effect.sleep(directory)
  yield* end(move, false)
  return { source, cell: target, hasMoved: true, rows } satisfies CompanyMoved
})
