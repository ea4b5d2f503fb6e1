import { DateTime, Duration, Effect, Option, Random, Stream } from "effect"
import {
  type ChainFault,
  type Closing,
  chainFault,
  closingContent,
  closingDelay,
  isOver,
  problemsOf,
  sealedText
} from "../domain/Closing.ts"
import { isOfClosedCompany } from "../domain/ErrorCatalogue.ts"
import type { CompanyId } from "../domain/Ids.ts"
import { dayOf, daysBefore, nextDay, startOfDay } from "../domain/LocalTime.ts"
import { ClosingMismatch, DayNotOver } from "../domain/OperatorErrors.ts"
import { Sha256 } from "../domain/Sha256.ts"
import { Closings, type CompanyDay } from "../ports/Closings.ts"
import { ReportProgress } from "../ports/Progress.ts"
import { requireAction } from "./AuditTrail.ts"

/**
 * Closes the first unclosed day of a company. `closed`: another process has stored the closing. `waiting`: another process
 * is closing the day, or the company is closed. If the figures do not add up, nothing is stored.
 */
const closeDay = Effect.fn("CloseDays.closeDay")(function* ({ companyId, day }: CompanyDay) {
  const closings = yield* Closings
  const which = { companyId, day }
  if (!(yield* closings.end(which))) return "waiting"
  const previous = Option.getOrNull(yield* closings.before(which))
  const figures = yield* closings.figures(which)
  if (figures === null) return "waiting"
  const content = closingContent({ ...which, closedAt: yield* DateTime.now }, previous, figures)
  const problems = problemsOf(content, figures)
  if (problems.length > 0) return yield* new ClosingMismatch({ ...which, problems })
  return (yield* closings.add(which, sealedText(content))) ? "stored" : "closed"
})

/** The result of closing the days of companies. */
export interface ClosedDays {
  /** Number of closings that this call has stored. */
  readonly stored: number
  /** Days that could not be closed yet, because another process is closing them, or because the company is closed. */
  readonly waiting: ReadonlyArray<CompanyDay>
  readonly mismatches: ReadonlyArray<ClosingMismatch>
  /** False if the companies of a cell were left out, because the cell did not answer. */
  readonly isComplete: boolean
}

const logMismatches = (mismatches: ReadonlyArray<ClosingMismatch>) =>
  Effect.forEach(
    mismatches,
    ({ companyId, day, problems }) =>
      Effect.logError("a day was not closed, because its figures do not add up", { companyId, day, problems }),
    { discard: true }
  )

/**
 * Number of companies with a defect at which a round stops. The cause is then probably the database, so the next round
 * closes the days of the other companies.
 */
const defects_max = 5

/**
 * A server or command that closes days pauses after each one, for this many times as long as the closing took. So the
 * sales keep most of the processor, even while the days of a whole year are closed.
 */
const usualPause = 2

/** No pause is longer than this. Otherwise, if the machine was suspended during a closing, the pause would also last hours. */
const pause_max = Duration.seconds(1)

/** Which companies a call closes, and how long it pauses. */
interface ClosingOptions {
  /** By default all companies. */
  readonly only?: CompanyId | undefined
  /** Pause after each closing, as a multiple of its duration. By default there is no pause. */
  readonly pause?: number
}

/**
 * Closes every day up to `last`, oldest first. If a day of a company cannot be closed, the company's later days stay open.
 * After a defect, closes the days of the other companies, logs the mismatches, and dies with the first defect.
 */
export const closeThrough = Effect.fn("CloseDays.closeThrough")(function* (
  last: string,
  { only, pause = 0 }: ClosingOptions = {}
) {
  const closings = yield* Closings
  const waiting: Array<CompanyDay> = []
  const mismatches: Array<ClosingMismatch> = []
  const defects: Array<unknown> = []
  let stored = 0
  const { days, isComplete } = yield* closings.unclosed
  let open = days.filter(({ companyId, day }) => day <= last && (only === undefined || companyId === only))
  for (let day = open[0]?.day ?? last; day <= last && open.length > 0; day = nextDay(day)) {
    if (defects.length >= defects_max) break
    const later: Array<CompanyDay> = []
    for (const which of open) {
      if (which.day > day) {
        later.push(which)
        continue
      }
      if (defects.length >= defects_max) break
      // The days of other companies must not wait for this company.
      const [lasted, closed] = yield* closeDay(which).pipe(
        Effect.catchDefect((defect) => {
          // The company is closed, or its node was just lost.
          if (isOfClosedCompany(defect)) return Effect.succeed("waiting" as const)
          defects.push(defect)
          return Effect.as(Effect.logError("a day could not be closed", { ...which, cause: defect }), "broken" as const)
        }),
        Effect.result,
        Effect.timed
      )
      if (pause > 0) yield* Effect.sleep(Duration.min(Duration.times(lasted, pause), pause_max))
      if (closed._tag === "Failure") mismatches.push(closed.failure)
      else if (closed.success === "waiting") waiting.push(which)
      else if (closed.success === "broken") continue
      else {
        if (closed.success === "stored") stored++
        later.push({ ...which, day: nextDay(day) })
      }
    }
    open = later
  }
  if (defects.length > 0) {
    yield* logMismatches(mismatches)
    return yield* Effect.die(defects[0])
  }
  return { stored, waiting, mismatches, isComplete } satisfies ClosedDays
})

// Uses the clock of the database, because the clock of a server may be ahead. If a day ended too early, its
// last sales would count in the next day.
const isOverInDatabase = (day: string) => Closings.use(({ hasPassed }) => hasPassed(startOfDay(nextDay(day))))

/** Closes the days of all companies, or of one, up to a day that is over. For the operator. */
export const closeByHand = Effect.fn("CloseDays.closeByHand")(function* (day: string, only?: CompanyId) {
  yield* requireAction("deposit")
  if (!isOver(day, yield* DateTime.now) || !(yield* isOverInDatabase(day))) return yield* new DayNotOver({ day })
  return yield* closeThrough(day, { only, pause: usualPause })
})

/** The last local day that ended at least `closingDelay` ago. */
const dueDay = Effect.map(DateTime.now, (now) => {
  const yesterday = daysBefore(dayOf(now), 1)
  return isOver(yesterday, now, closingDelay) ? yesterday : daysBefore(yesterday, 1)
})

/** Closes every day that is due. Returns whether all of them are closed. */
export const closeDue = Effect.fn("CloseDays.closeDue")(function* () {
  const last = yield* dueDay
  if (!(yield* isOverInDatabase(last))) return false
  const { isComplete, mismatches, stored, waiting } = yield* closeThrough(last, { pause: usualPause })
  if (stored > 0) yield* Effect.logInfo("days were closed", { closings: stored })
  yield* logMismatches(mismatches)
  return isComplete && waiting.length === 0 && mismatches.length === 0
})

/** Pause before the next attempt, if some days could not be closed. */
const retryPause = Duration.minutes(10)

/** The servers begin at random times within this span, so that usually only one of them closes the days. */
const spread = Duration.minutes(5)

/**
 * Closes the past day after each local midnight, for the life of the process. Missed days are closed at the start. A
 * round that fails is only logged and tried again.
 */
export const keepClosing = <E, R>(round: Effect.Effect<boolean, E, R>) =>
  Effect.gen(function* () {
    // Read before the round, because a day that becomes due during the round may not be closed by it.
    const last = yield* dueDay
    const complete = yield* Effect.catchCause(round, (cause) =>
      Effect.as(Effect.logWarning("days could not be closed and will be tried again", cause), false)
    )
    if (!complete) return yield* Effect.sleep(retryPause)
    const nextDue = DateTime.addDuration(startOfDay(nextDay(nextDay(last))), closingDelay)
    const pause = Duration.max(DateTime.distance(yield* DateTime.now, nextDue), Duration.zero)
    return yield* Effect.sleep(Duration.sum(pause, Duration.times(spread, yield* Random.next)))
  }).pipe(Effect.forever)

/** A closing that does not continue the closings of its company. */
interface BrokenClosing extends CompanyDay {
  readonly fault: ChainFault
}

/** The number of closings that were verified, and the broken closings. */
export interface VerifiedChains {
  readonly closings: number
  readonly companies: number
  readonly broken: ReadonlyArray<BrokenClosing>
}

/** Verifies the seals of all closings, company by company, and reports the progress. */
export const verifyClosings = Effect.fn("CloseDays.verifyClosings")(function* () {
  const closings = yield* Closings
  const { hex } = yield* Sha256
  const report = yield* ReportProgress
  const { total } = yield* closings.ofCompanies(undefined, {}, { page: 1, perPage: 1 })
  const broken: Array<BrokenClosing> = []
  let previous: Closing | null = null
  let verified = 0
  let companies = 0
  const verify = (closing: Closing) => {
    const { companyId, day } = closing.content
    if (previous?.content.companyId !== companyId) {
      companies++
      previous = null
    }
    const fault = chainFault(closing, previous, hex)
    if (fault !== null) broken.push({ companyId, day, fault })
    verified++
    previous = closing
  }
  yield* Stream.runForEachArray(closings.chains, (part) =>
    Effect.suspend(() => {
      part.forEach(verify)
      // Servers may close further days during the verification.
      return report(verified, Math.max(total, verified))
    })
  )
  return { closings: verified, companies, broken } satisfies VerifiedChains
})
