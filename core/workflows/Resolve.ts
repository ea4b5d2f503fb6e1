import { DateTime, Effect, Option } from "effect"
import type { TransactionId } from "../domain/Ids.ts"
import { type Confirmation, NotConfirmable, NotResolvable, UnknownTransaction } from "../domain/OperatorErrors.ts"
import {
  confirmable,
  type Finding,
  isSameConfirmation,
  isSettling,
  type Proposal,
  Resolvable,
  resolvable,
  reversalVerdictOn,
  verdictOn
} from "../domain/Resolution.ts"
import { statusTagOf } from "../domain/Reversal.ts"
import type { Order } from "../domain/Sale.ts"
import type { ReversalStatus, Status } from "../domain/Status.ts"
import { Confirmed, Resolutions } from "../ports/Resolutions.ts"
import { atomically, recordAudit, requireAction } from "./AuditTrail.ts"
import { settleInFlight, settleReversalInFlight } from "./Settlement.ts"
import { reversalStatusOf, statusOf } from "./Supplier.ts"

/** Finds a sale with its proposal and its unresolved reversal, or fails with UnknownTransaction. */
export const saleToResolve = Effect.fnUntraced(function* (transactionId: TransactionId) {
  const resolutions = yield* Resolutions
  const found = yield* resolutions.find(transactionId)
  return Option.isNone(found) ? yield* new UnknownTransaction({ transactionId }) : found.value
})

/** The subject of a proposal: the id of the reversal, null for a sale, and the fields for the audit log. */
const subjectOf = Resolvable.$match({
  Sale: () => ({ reversalId: null, audited: { about: "sale" } }),
  Reversal: ({ unresolved: { reversal } }) => ({
    reversalId: reversal.id,
    audited: { about: "reversal", xid: reversal.xid }
  })
})

/**
 * Stores an operator's proposal to settle a sale or reversal. Moves no money, because another operator must confirm the
 * proposal.
 */
export const proposeResolution = Effect.fn("Resolve.proposeResolution")(function* (
  transactionId: TransactionId,
  { finding, reason }: { readonly finding: Finding; readonly reason: string }
) {
  const { name: operator } = yield* requireAction("propose")
  const now = yield* DateTime.now
  const toResolve = yield* saleToResolve(transactionId)
  const { audited, reversalId } = subjectOf(yield* Effect.fromResult(resolvable(toResolve, finding, now)))
  const { order, status } = toResolve
  const resolutions = yield* Resolutions
  const proposal = { finding, reversalId, reason, proposedBy: operator, proposedAt: now }
  const number = yield* resolutions.propose(order, proposal)
  // The earlier proposal is already confirmed. The process that confirmed it died before settling, or is about to
  // settle.
  if (number === null) return yield* new NotResolvable({ transactionId, status, why: "confirmed" })
  yield* recordAudit(
    "resolution_proposed",
    { companyId: order.companyId },
    { transactionId, ...audited, proposal: number, finding, reason, operator }
  )
  return { order, number, operator }
}, atomically)

/**
 * The status of the sale, the status of its reversal if the reversal was settled, and whether this process settled
 * (`won`).
 */
interface ResolutionResult {
  readonly status: Status
  readonly reversal: ReversalStatus | null
  readonly won: boolean
}

type ResolvableOf<Tag> = Extract<Resolvable, { readonly _tag: Tag }>

const askAboutSale = Effect.fnUntraced(function* ({ finding, order }: ResolvableOf<"Sale">) {
  const said = yield* statusOf(order)
  const verdict = yield* Effect.fromResult(verdictOn(order, finding, said))
  const ended = Effect.map(
    settleInFlight(order, verdict),
    ({ status, won }): ResolutionResult => ({ status, reversal: null, won })
  )
  return { said: said._tag, ended }
})

const askAboutReversal = Effect.fnUntraced(function* ({ finding, unresolved }: ResolvableOf<"Reversal">) {
  const said = yield* reversalStatusOf(unresolved)
  const verdict = yield* Effect.fromResult(reversalVerdictOn(unresolved, finding, said))
  const ended = Effect.map(
    settleReversalInFlight(unresolved, verdict),
    ({ status: reversal, won }): ResolutionResult => {
      const status = reversal === "CONFIRMED" ? "REVERSED" : unresolved.transaction.status
      return { status, reversal, won }
    }
  )
  return { said: statusTagOf(said), ended }
})

/** Asks the provider once more. The returned effect `ended` settles the sale or reversal when it runs. */
const askAbout = Resolvable.$match({ Sale: askAboutSale, Reversal: askAboutReversal })

/** Adds the earlier confirmation to an error, so that the second operator sees who confirmed first. */
const withConfirmation =
  (confirmation: Confirmation | null) =>
  ({ status, transactionId, why }: NotResolvable) =>
    new NotResolvable({ transactionId, status, why, ...(confirmation !== null && { confirmation }) })

/**
 * Records the confirmation with its audit event. Fails if another operator has confirmed since the proposal was read,
 * or if the proposal has changed.
 */
const recordConfirmation = Effect.fnUntraced(function* (
  order: Order,
  proposal: Proposal,
  confirmation: Confirmation,
  agreed: Readonly<Record<string, unknown>>
) {
  const { companyId, transactionId } = order
  const resolutions = yield* Resolutions
  const confirmed = yield* resolutions.confirm(order, proposal, confirmation)
  return yield* Confirmed.$match(confirmed, {
    Recorded: () => recordAudit("resolution_agreed", { companyId }, agreed),
    AlreadyConfirmed: ({ confirmation }) =>
      Effect.fail(new NotConfirmable({ transactionId, why: "confirmed", confirmation })),
    Replaced: () => Effect.fail(new NotConfirmable({ transactionId, why: "changed" }))
  })
}, atomically)

/**
 * The confirmation of another operator that replaced `own`, or that `own` replaced. Null means that no other operator
 * has settled the sale.
 */
const otherConfirmation = Effect.fnUntraced(function* (
  { transactionId }: Order,
  { confirmation: replaced, number }: Proposal,
  own: Confirmation
) {
  if (replaced !== null) return replaced
  const { proposal } = yield* saleToResolve(transactionId)
  return proposal?.number !== number || isSameConfirmation(proposal.confirmation, own) ? null : proposal.confirmation
})

/**
 * Confirms the proposal with this number, which another operator made, and settles the sale or reversal. Before that, the
 * provider is asked once more. If its firm answer contradicts the proposal, nothing is settled. If the provider confirms
 * the delivery, its proof replaces the data that the operators typed.
 *
 * If two operators confirm at the same time, the second gets an error that names the first. If the first process has not
 * settled after a minute, any operator may settle by confirming again. If both then settle, the later operator gets the
 * error.
 *
 * @param evenUnasked whether to settle even if the provider cannot be asked.
 */
export const confirmResolution = Effect.fn("Resolve.confirmResolution")(function* (
  transactionId: TransactionId,
  { evenUnasked, number }: { readonly evenUnasked: boolean; readonly number: number }
) {
  const actor = yield* requireAction("confirm")
  const { name: operator } = actor
  const toResolve = yield* saleToResolve(transactionId)
  const { order } = toResolve
  const proposal = yield* Effect.fromResult(confirmable(toResolve, number, actor))
  const { confirmation, finding, proposedBy, reason } = proposal
  const at = yield* DateTime.now
  const subject = yield* Effect.mapError(
    Effect.fromResult(resolvable(toResolve, finding, at)),
    withConfirmation(confirmation)
  )
  if (confirmation !== null && isSettling(proposal, at))
    return yield* new NotConfirmable({ transactionId, why: "confirmed", confirmation })
  const { ended, said } = yield* askAbout(subject)
  if (said === "NotAsked" && !evenUnasked) return yield* new NotConfirmable({ transactionId, why: "not_asked" })
  const { audited } = subjectOf(subject)
  const agreed = { transactionId, ...audited, proposal: number, finding, reason, proposedBy, operator, said }
  // Records the confirmation before money moves, so that the audit log names the operator even if the process
  // dies in between.
  const own = { by: operator, at: yield* DateTime.now }
  yield* recordConfirmation(order, proposal, own, agreed)
  const { reversal, status, won } = yield* ended
  const other = won ? null : yield* otherConfirmation(order, proposal, own)
  if (other !== null) return yield* new NotConfirmable({ transactionId, why: "confirmed", confirmation: other })
  const settled = { ...agreed, status: reversal ?? status, won }
  yield* recordAudit("resolution_confirmed", { companyId: order.companyId }, settled)
  return { order, finding, status, reversal, operator }
})
