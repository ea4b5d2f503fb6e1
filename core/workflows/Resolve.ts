import { DateTime, Effect, Option } from "effect"
import type { TransactionId } from "../domain/Ids.ts"
import { NotConfirmable, NotResolvable, UnknownTransaction } from "../domain/OperatorErrors.ts"
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
  const stuck = yield* stuckOf(transactionId)
  const order = yield* Effect.fromResult(resolvable(stuck, finding, now))
  const resolutions = yield* Resolutions
  const number = yield* resolutions.propose(order, { finding, reason, proposedBy: operator, proposedAt: now })
  // It was confirmed, and whoever did so has died before it was settled, or is about to settle it.
  if (number === null) return yield* new NotResolvable({ transactionId, status: stuck.status, cause: "confirmed" })
  yield* byHand(
    "resolution_proposed",
    { companyId: order.companyId },
    { transactionId, proposal: number, finding, reason, operator }
  )
  return { order, number }
})

/**
 * Confirms the proposal of another operator that has this number, and settles the sale as a provider's answer would. The
 * provider is asked once more: what it firmly says stands above what operators believe, and its own proof of a delivery
 * above what they wrote.
 */
export const confirmResolution = Effect.fn("Resolve.confirmResolution")(function* (
  transactionId: TransactionId,
  { number, operator }: { readonly number: number; readonly operator: string }
) {
  const stuck = yield* stuckOf(transactionId)
  const proposal = yield* Effect.fromResult(confirmable(stuck, { number, operator }))
  const at = yield* DateTime.now
  const order = yield* Effect.fromResult(resolvable(stuck, proposal.finding, at))
  const said = yield* statusOf(order)
  const verdict = yield* Effect.fromResult(verdictOn(order, proposal.finding, said))
  const resolutions = yield* Resolutions
  const current = yield* resolutions.confirm(order, proposal, { operator, at })
  if (!current) return yield* new NotConfirmable({ transactionId, cause: "changed" })
  const settled = yield* settle(order, verdict)
  const { finding, proposedBy, reason } = proposal
  yield* byHand(
    "resolution_confirmed",
    { companyId: order.companyId },
    {
      transactionId,
      proposal: number,
      finding,
      reason,
      proposedBy,
      operator,
      said: said._tag,
      status: settled.status,
      won: settled.won
    }
  )
  return { order, finding, status: settled.status }
})
