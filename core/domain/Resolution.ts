import { Data, DateTime, Duration, Result, Schema } from "effect"
import { inProgress_max } from "./Idempotency.ts"
import { Validity } from "./InsuranceOffer.ts"
import { type Actor, isSameOperator } from "./Operator.ts"
import { Confirmation, NotConfirmable, NotResolvable, SupplierDisagrees } from "./OperatorErrors.ts"
import type { StatusAnswer } from "./Recovery.ts"
import { type ReversalAnswer, ReversalVerdict, type UnresolvedReversal } from "./Reversal.ts"
import { denialOf, lacksRechargeToken, type Order, sellsRechargeTokens, Verdict } from "./Sale.ts"
import type { ServiceType } from "./Service.ts"
import { isUnresolved, type Status } from "./Status.ts"

/** An operator's finding: how a sale or its reversal ended, according to evidence from outside Saldo. */
export const Finding = Schema.TaggedUnion({
  /**
   * The sale was delivered. Carries the authorization code, for electricity also the meter token, for insurance the
   * days of the policy.
   */
  Success: {
    authCode: Schema.String,
    rechargeToken: Schema.NullOr(Schema.String),
    validity: Schema.NullOr(Validity)
  },
  Failed: {},
  /** The sale was reversed at the provider. */
  Reversed: {},
  /** The sale was not reversed at the provider. */
  Stands: {}
})
export type Finding = typeof Finding.Type

type ReversalFinding = Extract<Finding, { readonly _tag: "Reversed" | "Stands" }>
type SaleFinding = Exclude<Finding, ReversalFinding>

const isOfReversal = (finding: Finding): finding is ReversalFinding =>
  finding._tag === "Reversed" || finding._tag === "Stands"

/** A finding that one operator proposes and another must confirm. */
export const Proposal = Schema.Struct({
  /**
   * Number of the proposal within its sale. A confirmation has this number, so that it confirms the proposal that the
   * operator has read.
   */
  number: Schema.Int,
  finding: Finding,
  /** The reversal that the finding is about. Null when it is about the sale. */
  reversalId: Schema.NullOr(Schema.Int),
  reason: Schema.String,
  proposedBy: Schema.String,
  proposedAt: Schema.DateTimeUtc,
  /** Null until another operator confirms the proposal. */
  confirmation: Schema.NullOr(Confirmation)
})
export type Proposal = typeof Proposal.Type

/** A sale that an operator wants to resolve. */
export interface SaleToResolve {
  readonly order: Order
  readonly status: Status
  /** The unresolved reversal of the sale, if any. */
  readonly unresolved: UnresolvedReversal | null
  readonly proposal: Proposal | null
}

/** An unresolved sale or reversal with a finding that is allowed for it. */
export type Resolvable = Data.TaggedEnum<{
  Sale: { readonly order: Order; readonly finding: SaleFinding }
  Reversal: { readonly unresolved: UnresolvedReversal; readonly finding: ReversalFinding }
}>
export const Resolvable = Data.taggedEnum<Resolvable>()

/**
 * The reason why a Success finding does not fit a sale of this type: a missing, forbidden or wrong field. Null if it
 * fits.
 */
const whyNotSuccess = (
  type: ServiceType,
  { rechargeToken, validity }: Extract<Finding, { _tag: "Success" }>
): NotResolvable["why"] | null => {
  const ofPolicy = type === "insurance"
  if (ofPolicy !== (validity !== null)) return ofPolicy ? "no_validity" : "validity"
  if (lacksRechargeToken(type, rechargeToken)) return "no_token"
  if (rechargeToken !== null && !sellsRechargeTokens(type)) return "token"
  return validity !== null && validity.until < validity.from ? "ends_before" : null
}

const isYoung = (createdAt: DateTime.Utc, now: DateTime.Utc): boolean =>
  Duration.isLessThan(DateTime.distance(createdAt, now), inProgress_max)

const whyNotSale = ({ order, status, unresolved }: SaleToResolve, finding: SaleFinding, now: DateTime.Utc) => {
  if (!isUnresolved({ status })) return unresolved === null ? "settled" : "reversal"
  if (isYoung(order.createdAt, now)) return "young"
  return finding._tag === "Success" ? whyNotSuccess(order.service.type, finding) : null
}

/**
 * Decides whether an operator may resolve the sale or its reversal. No process may still be working on it, and the
 * finding must have every field that a sale of its type returns.
 */
export const resolvable = (
  toResolve: SaleToResolve,
  finding: Finding,
  now: DateTime.Utc
): Result.Result<Resolvable, NotResolvable> => {
  const { order, status, unresolved } = toResolve
  const fail = (why: NotResolvable["why"]) =>
    Result.fail(new NotResolvable({ transactionId: order.transactionId, status, why }))
  if (!isOfReversal(finding)) {
    const why = whyNotSale(toResolve, finding, now)
    return why === null ? Result.succeed(Resolvable.Sale({ order, finding })) : fail(why)
  }
  if (unresolved === null) return fail(isUnresolved(toResolve) ? "unsettled" : "no_reversal")
  if (isYoung(unresolved.reversal.createdAt, now)) return fail("young_reversal")
  return Result.succeed(Resolvable.Reversal({ unresolved, finding }))
}

/**
 * The proposal that this operator may confirm. Another operator must have made the proposal, this operator must have
 * read it, and it must not be about an earlier reversal.
 */
export const confirmable = (
  { order: { transactionId }, proposal, unresolved }: SaleToResolve,
  number: number,
  actor: Pick<Actor, "id" | "name">
): Result.Result<Proposal, NotConfirmable> => {
  const fail = (why: NotConfirmable["why"]) => Result.fail(new NotConfirmable({ transactionId, why }))
  if (proposal === null) return fail("no_proposal")
  if (proposal.number !== number) return fail("changed")
  // Only a proposal about an earlier reversal is refused here. `resolvable` refuses other outdated proposals and gives
  // the reason.
  if (proposal.reversalId !== null && unresolved !== null && proposal.reversalId !== unresolved.reversal.id)
    return fail("outdated")
  // Without accounts, nothing shows that two different persons have decided.
  if (actor.id === null) return fail("no_account")
  return isSameOperator(proposal.proposedBy, actor.name) ? fail("same_operator") : Result.succeed(proposal)
}

/**
 * Time that the process of the confirming operator normally needs to settle the sale. Until then, no other operator may
 * settle the sale.
 */
const settling_max = Duration.minutes(1)

/**
 * Whether the process of an earlier confirmation may still be settling. A confirmation dated further in the future, by
 * a wrong clock, does not block the proposal.
 */
export const isSettling = ({ confirmation }: Proposal, now: DateTime.Utc): boolean =>
  confirmation !== null && Duration.isLessThan(Duration.abs(DateTime.distance(confirmation.at, now)), settling_max)

/** Whether two values are the same confirmation, or both are null. */
export const isSameConfirmation = (left: Confirmation | null, right: Confirmation | null): boolean =>
  left === right || (left !== null && right !== null && left.by === right.by && DateTime.Equivalence(left.at, right.at))

/**
 * The verdict on a sale that follows from a finding. A firm answer of the provider that contradicts the finding is an
 * error. A proof of delivery from the provider replaces the fields that the operator typed.
 */
export const verdictOn = (
  order: Order,
  finding: SaleFinding,
  said: StatusAnswer
): Result.Result<Verdict, SupplierDisagrees> => {
  const disagrees =
    (said._tag === "Delivered" && finding._tag === "Failed") || (said._tag === "Refused" && finding._tag === "Success")
  if (disagrees)
    return Result.fail(new SupplierDisagrees({ transactionId: order.transactionId, about: "sale", said: said._tag }))
  if (finding._tag === "Failed") return Result.succeed(Verdict.Release({ refusal: denialOf(order) }))
  const { authCode, rechargeToken, validity } = finding
  const written = { authCode, rechargeToken, ...(validity === null ? {} : { validity }) }
  return Result.succeed(Verdict.Confirm({ delivery: said._tag === "Delivered" ? said.delivery : written }))
}

/** The verdict on a reversal that follows from a finding. */
export const reversalVerdictOn = (
  { reversal: { order } }: UnresolvedReversal,
  finding: ReversalFinding,
  said: ReversalAnswer
): Result.Result<ReversalVerdict, SupplierDisagrees> => {
  const disagrees =
    (said._tag === "Confirmed" && finding._tag === "Stands") || (said._tag === "Denied" && finding._tag === "Reversed")
  if (disagrees)
    return Result.fail(
      new SupplierDisagrees({ transactionId: order.transactionId, about: "reversal", said: said._tag })
    )
  return Result.succeed(finding._tag === "Reversed" ? ReversalVerdict.Confirm() : ReversalVerdict.Deny())
}
