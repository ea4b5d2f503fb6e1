import { DateTime, Effect } from "effect"
import type { LateOutcome } from "../domain/AuditAction.ts"
import type { TransactionId } from "../domain/Ids.ts"
import { NotAskable } from "../domain/OperatorErrors.ts"
import type { StatusAnswer } from "../domain/Recovery.ts"
import { reversalVerdictOf, statusTagOf, type UnresolvedReversal } from "../domain/Reversal.ts"
import { type Order, Verdict } from "../domain/Sale.ts"
import { Askable, askable } from "../domain/SaleActions.ts"
import type { ReversalStatus, Status } from "../domain/Status.ts"
import { type Question, Questions } from "../ports/Histories.ts"
import { recordAudit, requireAction } from "./AuditTrail.ts"
import { askAboutSettled } from "./FollowUp.ts"
import { saleToResolve } from "./Resolve.ts"
import { settleInFlight, settleReversalInFlight } from "./Settlement.ts"
import { reversalStatusOf, statusOf } from "./Supplier.ts"

/** The answer to an operator's question, and what followed from it. */
export interface Asked {
  readonly about: Askable["_tag"]
  readonly said: Question["answer"]
  /** Whether this answer settled the sale or the reversal. */
  readonly won: boolean
  /** The status of the sale after the question. */
  readonly status: Status
  /** The status of the reversal after the question. Null if the question was not about a reversal. */
  readonly reversal: ReversalStatus | null
  /** How the answer contradicts the settled sale. Null if it does not. */
  readonly contradiction: LateOutcome | null
}

const unchanged = { won: false, reversal: null, contradiction: null }

const record = Effect.fnUntraced(function* (question: Omit<Question, "at">) {
  const at = yield* DateTime.now
  yield* Questions.use(({ record }) => record({ ...question, at }))
})

/**
 * The verdict that follows from an answer about a sale. Null if the answer decides nothing. "Not found" decides nothing
 * here, because only recovery counts these answers.
 */
const verdictOf = (said: StatusAnswer): Verdict | null => {
  if (said._tag === "Delivered") return Verdict.Confirm({ delivery: said.delivery })
  return said._tag === "Refused" ? Verdict.Release({ refusal: said.refusal }) : null
}

const askAboutSale = Effect.fnUntraced(function* (order: Order, before: Status) {
  const answer = yield* statusOf(order)
  const said = answer._tag
  yield* record({ order, about: "sale", answer: said })
  const verdict = verdictOf(answer)
  const { status, won } = verdict === null ? { status: before, won: false } : yield* settleInFlight(order, verdict)
  return { ...unchanged, about: "Sale", said, status, won } satisfies Asked
})

const askAboutReversal = Effect.fnUntraced(function* (unresolved: UnresolvedReversal) {
  const { reversal, transaction } = unresolved
  const answer = yield* reversalStatusOf(unresolved)
  const said = statusTagOf(answer)
  yield* record({ order: reversal.order, about: "reversal", answer: said })
  const about = "Reversal" as const
  const { status } = transaction
  if (answer._tag !== "Confirmed" && answer._tag !== "Denied")
    return { ...unchanged, about, said, status, reversal: "PENDING" } satisfies Asked
  const settled = yield* settleReversalInFlight(unresolved, reversalVerdictOf(answer))
  const after = settled.status === "CONFIRMED" ? "REVERSED" : status
  return { ...unchanged, about, said, won: settled.won, status: after, reversal: settled.status } satisfies Asked
})

const ask = (what: Askable, before: Status) =>
  Askable.$match(what, {
    Sale: ({ order }) => Effect.map(askAboutSale(order, before), (asked): Asked => asked),
    Reversal: ({ unresolved }) => Effect.map(askAboutReversal(unresolved), (asked): Asked => asked),
    Settled: (sale) =>
      Effect.map(
        askAboutSettled(sale),
        ({ contradiction, said }): Asked => ({ ...unchanged, about: "Settled", said, status: before, contradiction })
      )
  })

/**
 * Asks the provider about a sale now. A firm answer settles the sale, as in recovery. Never sends the order. If the sale
 * is settled already, its status is only compared with the answer.
 */
export const askProvider = Effect.fn("AskProvider.askProvider")(function* (transactionId: TransactionId) {
  const { name: operator } = yield* requireAction("propose")
  const toResolve = yield* saleToResolve(transactionId)
  const what = yield* Effect.fromResult(askable(toResolve, yield* DateTime.now))
  const { order, status: before, unresolved } = toResolve
  const asked = yield* ask(what, before)
  const { about, contradiction, said, won } = asked
  if (said === "NotAsked") return yield* new NotAskable({ transactionId, why: "unreachable" })
  const subject = about === "Reversal" ? { about: "reversal", xid: unresolved?.reversal.xid } : { about: "sale" }
  const status = asked.reversal ?? asked.status
  yield* recordAudit(
    "provider_asked",
    { companyId: order.companyId },
    { transactionId, ...subject, operator, said, before, status, won, ...(contradiction && { contradiction }) }
  )
  return { order, ...asked }
})
