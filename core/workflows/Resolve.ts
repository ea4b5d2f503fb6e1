import { DateTime, Effect, Option } from "effect"
import type { TransactionId } from "../domain/Ids.ts"
import { NotConfirmable, UnknownTransaction } from "../domain/OperatorErrors.ts"
import { confirmable, type Finding, resolvable, verdictOn } from "../domain/Resolution.ts"
import { Resolutions } from "../ports/Resolutions.ts"
import { byHand } from "./ByHand.ts"
import { statusOf } from "./Recover.ts"
import { settle } from "./Settle.ts"

const stuckOf = Effect.fnUntraced(function* (transactionId: TransactionId) {
  const resolutions = yield* Resolutions
  const found = yield* resolutions.find(transactionId)
  return Option.isNone(found) ? yield* new UnknownTransaction({ transactionId }) : found.value
})

/** Proposes how a sale ended that no provider settles. Moves nothing: another operator has to confirm it. */
export const proposeResolution = Effect.fn("Resolve.proposeResolution")(function* (
  transactionId: TransactionId,
  { finding, operator, reason }: { readonly finding: Finding; readonly operator: string; readonly reason: string }
) {
  const now = yield* DateTime.now
  const order = yield* Effect.fromResult(resolvable(yield* stuckOf(transactionId), finding, now))
  const resolutions = yield* Resolutions
  yield* resolutions.propose(order, { finding, reason, proposedBy: operator, proposedAt: now })
  yield* byHand("resolution_proposed", { companyId: order.companyId }, { transactionId, finding, reason, operator })
  return order
})

/**
 * Confirms what another operator proposed, and settles the sale as a provider's answer would. The provider is asked once
 * more: what it firmly says stands above what operators believe.
 */
export const confirmResolution = Effect.fn("Resolve.confirmResolution")(function* (
  transactionId: TransactionId,
  operator: string
) {
  const stuck = yield* stuckOf(transactionId)
  const proposal = yield* Effect.fromResult(confirmable(stuck, operator))
  const at = yield* DateTime.now
  const order = yield* Effect.fromResult(resolvable(stuck, proposal.finding, at))
  const verdict = yield* Effect.fromResult(verdictOn(order, proposal.finding, yield* statusOf(order)))
  const resolutions = yield* Resolutions
  const current = yield* resolutions.confirm(order, proposal, { operator, at })
  if (!current) return yield* new NotConfirmable({ transactionId, cause: "changed" })
  const settled = yield* settle(order, verdict, 0)
  const { finding, proposedBy, reason } = proposal
  yield* byHand(
    "resolution_confirmed",
    { companyId: order.companyId },
    { transactionId, finding, reason, proposedBy, operator, status: settled.status, won: settled.won }
  )
  return { order, status: settled.status }
})
