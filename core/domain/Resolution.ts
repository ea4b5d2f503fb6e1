import { Data, DateTime, Duration, Result, Schema } from "effect"
import { inProgress_max } from "./Idempotency.ts"
import { Validity } from "./InsuranceOffer.ts"
import { NotConfirmable, NotResolvable, SupplierDisagrees } from "./OperatorErrors.ts"
import { lacksRechargeToken, sellsRechargeTokens } from "./RechargeToken.ts"
import type { StatusAnswer } from "./Recovery.ts"
import { type ReversalAnswer, ReversalVerdict, type UnderReversal } from "./Reversal.ts"
import { denialOf, type Order, Verdict } from "./Sale.ts"
import type { ServiceType } from "./Service.ts"
import { isUnresolved, type Status } from "./Status.ts"
import { asRead } from "./Text.ts"

/** How an operator says that a sale, or its reversal, ended, on proof from outside. */
export const Finding = Schema.TaggedUnion({
  /** Delivered, with the supplier's authorization; of electricity also its token, of a policy its days. */
  Success: {
    authCode: Schema.String,
    rechargeToken: Schema.NullOr(Schema.String),
    validity: Schema.NullOr(Validity)
  },
  Failed: {},
  /** Of a reversal: the sale was taken back. */
  Reversed: {},
  /** Of a reversal: it was not taken back. */
  Stands: {}
})
export type Finding = typeof Finding.Type

type ReversalFinding = Extract<Finding, { readonly _tag: "Reversed" | "Stands" }>
type SaleFinding = Exclude<Finding, ReversalFinding>

const isOfReversal = (finding: Finding): finding is ReversalFinding =>
  finding._tag === "Reversed" || finding._tag === "Stands"

/** What one operator proposes and another has to confirm. */
export const Proposal = Schema.Struct({
  /** Counts the proposals for a sale: who confirms one names it, so that it is the one that he has seen. */
  number: Schema.Int,
  finding: Finding,
  /** Which reversal it speaks of; null of one that speaks of the sale. */
  reversalId: Schema.NullOr(Schema.Int),
  reason: Schema.String,
  proposedBy: Schema.String,
  proposedAt: Schema.DateTimeUtc,
  confirmedBy: Schema.NullOr(Schema.String)
})
export type Proposal = typeof Proposal.Type

/** A sale that an operator looks at. */
export interface InDoubt {
  readonly order: Order
  readonly status: Status
  /** Its reversal that has no outcome. */
  readonly under: UnderReversal | null
  readonly proposal: Proposal | null
}

/** What has no outcome, and how an operator may say that it ended. */
export type Resolvable = Data.TaggedEnum<{
  Sale: { readonly order: Order; readonly finding: SaleFinding }
  Reversal: { readonly under: UnderReversal; readonly finding: ReversalFinding }
}>
export const Resolvable = Data.taggedEnum<Resolvable>()

/** What a success lacks, or has too much, compared with what a sale of this type answers. */
const successFault = (
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

const whyNotSale = ({ order, status, under }: InDoubt, finding: SaleFinding, now: DateTime.Utc) => {
  if (!isUnresolved({ status })) return under === null ? "settled" : "reversal"
  if (isYoung(order.createdAt, now)) return "young"
  return finding._tag === "Success" ? successFault(order.service.type, finding) : null
}

/**
 * May an operator say how the sale, or its reversal, ended? Only once nothing on our side can still be working on it,
 * and only with all that a sale of its type answers.
 */
export const resolvable = (
  inDoubt: InDoubt,
  finding: Finding,
  now: DateTime.Utc
): Result.Result<Resolvable, NotResolvable> => {
  const { order, status, under } = inDoubt
  const fail = (why: NotResolvable["why"]) =>
    Result.fail(new NotResolvable({ transactionId: order.transactionId, status, why }))
  if (!isOfReversal(finding)) {
    const why = whyNotSale(inDoubt, finding, now)
    return why === null ? Result.succeed(Resolvable.Sale({ order, finding })) : fail(why)
  }
  if (under === null) return fail(isUnresolved(inDoubt) ? "unsettled" : "no_reversal")
  if (isYoung(under.reversal.createdAt, now)) return fail("young_reversal")
  return Result.succeed(Resolvable.Reversal({ under, finding }))
}

const canonicalName = (name: string): string => asRead(name).toLowerCase()

/** Are two names one operator's, however he has typed his? */
export const isSameOperator = (left: string, right: string): boolean => canonicalName(left) === canonicalName(right)

/** The proposal that this operator may confirm: another's, the one that he has seen, and of no earlier reversal. */
export const confirmable = (
  { order: { transactionId }, proposal, under }: InDoubt,
  { number, operator }: { readonly number: number; readonly operator: string }
): Result.Result<Proposal, NotConfirmable> => {
  const fail = (why: NotConfirmable["why"]) => Result.fail(new NotConfirmable({ transactionId, why }))
  if (proposal === null) return fail("no_proposal")
  if (proposal.number !== number) return fail("changed")
  // One of the sale, or of a reversal that has ended and none has followed, `resolvable` refuses, and says why.
  if (proposal.reversalId !== null && under !== null && proposal.reversalId !== under.reversal.id)
    return fail("outdated")
  return isSameOperator(proposal.proposedBy, operator) ? fail("same_operator") : Result.succeed(proposal)
}

/**
 * What the finding means for the money of a sale, unless the supplier firmly says otherwise. Its own proof of a
 * delivery stands above what operators have written down.
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

/** The same of a reversal. */
export const reversalVerdictOn = (
  { reversal: { order } }: UnderReversal,
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
