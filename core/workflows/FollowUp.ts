import { DateTime, Duration, Effect, Number as Num, Schedule, Struct } from "effect"
import { type Check, checks, contradictionOf } from "../domain/FollowUp.ts"
import { providerTimeout } from "../domain/Recovery.ts"
import { FollowUps, type SettledSale } from "../ports/FollowUps.ts"
import { Questions } from "../ports/Histories.ts"
import { reportLateOutcome } from "./Settlement.ts"
import { statusOf } from "./Supplier.ts"

/** Lease of a claimed check. Longer than the provider timeout, so that the questions end before the lease. */
const lease = Duration.sum(providerTimeout, Duration.seconds(30))

/** Counts of a cycle of follow-ups. */
export interface FollowedUp {
  readonly asked: number
  readonly contradicted: number
  /** Sales with a question that could not be sent. */
  readonly notAsked: number
}

const counts = Struct.makeReducer<FollowedUp>({
  asked: Num.ReducerSum,
  contradicted: Num.ReducerSum,
  notAsked: Num.ReducerSum
})

const none = counts.initialValue

/**
 * Asks the provider about a settled sale. A contradiction raises an alert and moves no money, because an operator must
 * decide. Waits until the alert is recorded. If the process dies before that, the check asks about the sale again.
 *
 * @returns the answer, and its contradiction to the sale. The contradiction is null if there is none, or if the sale was
 * reversed meanwhile.
 */
export const askAboutSettled = Effect.fnUntraced(function* (sale: SettledSale) {
  const { order, status } = sale
  const { companyId, transactionId, xid } = order
  yield* Effect.annotateCurrentSpan({ xid })
  const answer = yield* statusOf(order)
  const said = answer._tag
  const kind = contradictionOf(status, answer)
  const { stands } = yield* FollowUps
  if (kind === null || !(yield* stands(sale))) return { said, contradiction: null }
  const answeredAt = yield* DateTime.now
  yield* Questions.use(({ record }) => record({ order, about: "sale", answer: said, at: answeredAt }))
  yield* reportLateOutcome(kind, companyId, { transactionId, xid, status, verdict: answer, answeredAt })
  return { said, contradiction: kind }
})

const askAgain = Effect.fn("FollowUp.askAgain", { root: true })(function* (sale: SettledSale) {
  const { contradiction, said } = yield* askAboutSettled(sale)
  if (said === "NotAsked") return { ...none, notAsked: 1 }
  return { ...none, asked: 1, contradicted: contradiction === null ? 0 : 1 }
})

/**
 * Asks about the next sales of a check.
 *
 * @returns the counts, and whether to continue: more sales are due and the provider accepts questions.
 */
const askNext = Effect.fnUntraced(function* (check: Check, began: DateTime.Utc, limit: number) {
  const followUps = yield* FollowUps
  const claim = { check, began, now: yield* DateTime.now, lease, limit }
  const claimed = yield* followUps.claim(claim)
  if (claimed === null) return { tally: none, goesOn: false }
  const { finish, isLast, sales, skipped } = claimed
  if (skipped)
    yield* Effect.logWarning("a check of settled sales is late and leaves sales to the next check", {
      hours: check.hours
    })
  const tally = counts.combineAll(yield* Effect.forEach(sales, askAgain, { concurrency: "unbounded" }))
  // If no question could be sent, the supplier is unreachable, and the next cycle asks about the same sales again.
  const isDown = tally.notAsked > 0 && tally.asked === 0
  yield* finish(!isDown)
  return { tally, goesOn: !isDown && !isLast }
})

/**
 * Asks again about the settled sales that are due. Several processes may run this at the same time. The checks take turns, so
 * that no check waits for the backlog of another check.
 *
 * @param calls_max how many questions may be in flight. The number should be small, to leave room for recovery and
 * sales.
 */
export const followUp = Effect.fn("FollowUp.followUp", { level: "Debug" })(function* (calls_max: number) {
  const began = yield* DateTime.now
  let total = none
  let waiting = checks
  while (waiting.length > 0) {
    const turns = yield* Effect.forEach(waiting, (check) => askNext(check, began, calls_max))
    total = counts.combineAll([total, ...turns.map(({ tally }) => tally)])
    waiting = waiting.filter((_, index) => turns[index]?.goesOn)
  }
  return total
})

/** Asks again about settled sales every minute, for the life of the process. A failed cycle is only logged. */
export const keepFollowingUp = (calls_max: number) =>
  followUp(calls_max).pipe(
    Effect.tap(({ notAsked }) =>
      notAsked === 0 ? Effect.void : Effect.logWarning("questions about settled sales could not be sent", { notAsked })
    ),
    Effect.catchCause((cause) => Effect.logError("a cycle of questions about settled sales failed", cause)),
    Effect.repeat(Schedule.spaced("1 minute"))
  )
