import { Clock, DateTime, Duration, Effect, Metric, Number as Num, Schedule, Struct } from "effect"
import { conclude, providerTimeout } from "../domain/Recovery.ts"
import { concludeReversal, statusTagOf } from "../domain/Reversal.ts"
import { denialOf } from "../domain/Sale.ts"
import { type Question, Questions } from "../ports/Histories.ts"
import { type ClaimedReversal, Reversals } from "../ports/Reversals.ts"
import { type ClaimedSale, type RecoveryClaim, Unresolved } from "../ports/Unresolved.ts"
import { logDefect } from "./InFlight.ts"
import { settleOnce, settleReversalOnce } from "./Settlement.ts"
import { reversalStatusOf, statusOf } from "./Supplier.ts"

/**
 * Lease of a claimed operation. Longer than the provider timeout, so that the status question ends before the lease.
 */
const lease = Duration.sum(providerTimeout, Duration.seconds(30))

/**
 * Maximum number of operations in one claim. The questions of a claim run in parallel, because a queued question would end
 * after its lease. Reversals have a separate limit, so that they do not wait for a backlog of sales. The sum leaves
 * room for other calls to the provider.
 */
const questions_max = { sales: 32, reversals: 8 }

/** Counts of a recovery cycle. */
export interface Recovered {
  readonly confirmed: number
  readonly released: number
  readonly reversed: number
  readonly reversalsDenied: number
  readonly stillUnknown: number
  /** Operations with a question that could not be sent. Their amounts stay held. */
  readonly notAsked: number
}

const counts = Struct.makeReducer<Recovered>({
  confirmed: Num.ReducerSum,
  released: Num.ReducerSum,
  reversed: Num.ReducerSum,
  reversalsDenied: Num.ReducerSum,
  stillUnknown: Num.ReducerSum,
  notAsked: Num.ReducerSum
})

const none = counts.initialValue

/**
 * Time of the last claim or answer. A long cycle updates it again and again, so an old time means that recovery has
 * stalled.
 */
export const lastSignOfRecovery = Metric.gauge("saldo_recovery_last_cycle_timestamp_seconds", {
  description:
    "Unix time of the last progress of recovery; before the first progress, the time at which the process started"
})

/** Records that recovery makes progress. */
export const recordSignOfRecovery = Effect.flatMap(Clock.currentTimeMillis, (now_ms) =>
  Metric.update(lastSignOfRecovery, now_ms / 1000)
)

/**
 * Asks the provider for the status of due, or of all, unresolved sales and reversals, and settles firm answers. Never
 * dispatches. Several processes may run this at the same time. Contract: 3.1.
 */
export const recover = Effect.fn("Recover.recover", { level: "Debug" })(function* (which: "due" | "all") {
  const unresolved = yield* Unresolved
  const reversals = yield* Reversals
  let began = yield* DateTime.now
  const claim = (now: DateTime.Utc, limit: number): RecoveryClaim => {
    // If the clock is set back during a cycle, `began` moves back too. Otherwise the latest questions would seem older
    // than the cycle, and the cycle would repeat them without end.
    began = DateTime.min(began, now)
    return { began, now, lease, limit, which }
  }
  const tallies = yield* Effect.all(
    [
      claimUntilNone(questions_max.sales, (now, limit) => unresolved.claim(claim(now, limit)), askAboutSale),
      claimUntilNone(questions_max.reversals, (now, limit) => reversals.claim(claim(now, limit)), askAboutReversal)
    ],
    { concurrency: "unbounded" }
  )
  return counts.combineAll(tallies)
})

// Claims operations and asks about them until none is left. The next question of an operation is due after this cycle
// began, so a cycle asks once per operation.
const claimUntilNone = Effect.fnUntraced(function* <A, R1, R2>(
  limit: number,
  claim: (now: DateTime.Utc, limit: number) => Effect.Effect<ReadonlyArray<A>, never, R1>,
  ask: (claimed: A) => Effect.Effect<Recovered, never, R2>
) {
  let total = none
  while (true) {
    const claimed = yield* claim(yield* DateTime.now, limit)
    yield* recordSignOfRecovery
    const tally = yield* Effect.forEach(claimed, (each) => Effect.tap(ask(each), recordSignOfRecovery), {
      concurrency: "unbounded"
    })
    total = counts.combine(total, counts.combineAll(tally))
    // A claim that returns fewer operations than the limit is not the last one, because it skips rows that change meanwhile.
    if (claimed.length === 0) return total
  }
})

/** Counts of an operation that was not settled. */
const unsettled = (answer: Question["answer"]): Recovered =>
  answer === "NotAsked" ? { ...none, notAsked: 1 } : { ...none, stillUnknown: 1 }

// No retry here: the operation stays unresolved, and a later cycle asks again when the lease has ended.
const orRetryLater = <R>(question: Effect.Effect<Recovered, never, R>) =>
  Effect.catchDefect(question, (defect) =>
    Effect.as(logDefect("recovery could not write an answer and will ask again", defect), {
      ...none,
      stillUnknown: 1
    })
  )

// A root span per question, because a span per cycle would mostly be empty. The age of the operation is measured when
// the status query is sent, not when its answer arrives. A slow provider may have looked for the operation long before it
// answers, and "not found" is trusted only if the operation was old enough then.
const askAboutSale = Effect.fn("Recover.askAboutSale", { root: true })(function* (sale: ClaimedSale) {
  const { order } = sale
  yield* Effect.annotateCurrentSpan({ xid: order.xid })
  const asked = yield* DateTime.now
  const answer = yield* statusOf(order)
  yield* recordQuestion({ order, about: "sale", answer: answer._tag, at: yield* DateTime.now })
  const conclusion = conclude({ ...sale, createdAt: order.createdAt }, answer, asked, denialOf(order))
  if (conclusion === null) return unsettled(answer._tag)
  const settled = yield* settleOnce(order, conclusion.verdict, {
    notFound: conclusion.notFound,
    claimedAt: sale.claimedAt
  })
  if (settled.status === "SUCCESS") return { ...none, confirmed: 1 }
  return settled.status === "FAILED" ? { ...none, released: 1 } : unsettled(answer._tag)
}, orRetryLater)

const askAboutReversal = Effect.fn("Recover.askAboutReversal", { root: true })(function* (claimed: ClaimedReversal) {
  const { unresolved } = claimed
  const { createdAt, order, xid } = unresolved.reversal
  yield* Effect.annotateCurrentSpan({ xid })
  const asked = yield* DateTime.now
  const answer = yield* reversalStatusOf(unresolved)
  const said = statusTagOf(answer)
  yield* recordQuestion({ order, about: "reversal", answer: said, at: yield* DateTime.now })
  const conclusion = concludeReversal({ ...claimed, createdAt }, answer, asked)
  if (conclusion === null) return unsettled(said)
  const settled = yield* settleReversalOnce(unresolved, conclusion.verdict, {
    notFound: conclusion.notFound,
    claimedAt: claimed.claimedAt
  })
  if (settled.status === "CONFIRMED") return { ...none, reversed: 1 }
  return settled.status === "DENIED" ? { ...none, reversalsDenied: 1 } : unsettled(said)
}, orRetryLater)

const recordQuestion = (question: Question) => Effect.flatMap(Questions, ({ record }) => record(question))

/** Recovers due operations every second, for the life of the process. A failed cycle is only logged. */
export const keepRecovering = recover("due").pipe(
  Effect.tap(({ notAsked }) =>
    notAsked === 0
      ? Effect.void
      : Effect.logWarning(
          "unresolved sales or reversals stay open because the provider could not be asked for their status",
          {
            notAsked
          }
        )
  ),
  Effect.catchCause((cause) => Effect.logError("a recovery cycle failed", cause)),
  Effect.repeat(Schedule.spaced("1 second")),
  (cycles) => Effect.andThen(recordSignOfRecovery, cycles)
)
