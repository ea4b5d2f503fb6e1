import { DateTime, Duration, Result, Schema } from "effect"
import { inProgress_max } from "./Idempotency.ts"
import { Validity } from "./InsuranceOffer.ts"
import { NotConfirmable, NotResolvable, SupplierDisagrees } from "./OperatorErrors.ts"
import type { StatusAnswer } from "./Recovery.ts"
import { denialOf, Order, Verdict } from "./Sale.ts"
import { Status } from "./Status.ts"

/** How an operator says that a sale ended, on proof from outside. */
export const Finding = Schema.TaggedUnion({
  /** Delivered, with the supplier's authorization; of a policy also its days. */
  Success: { authCode: Schema.String, validity: Schema.NullOr(Validity) },
  Failed: {}
})
export type Finding = typeof Finding.Type

/** What one operator proposes and another has to confirm. */
export const Proposal = Schema.Struct({
  finding: Finding,
  reason: Schema.String,
  proposedBy: Schema.String,
  proposedAt: Schema.DateTimeUtc,
  confirmedBy: Schema.NullOr(Schema.String)
})
export type Proposal = typeof Proposal.Type

/** A sale that an operator looks at. */
export const Stuck = Schema.Struct({ order: Order, status: Status, proposal: Schema.NullOr(Proposal) })
export type Stuck = typeof Stuck.Type

/**
 * May an operator say how the sale ended? Only once nothing on our side can still be working on it, and only of a
 * policy with its days.
 */
export const resolvable = (
  { order, status }: Stuck,
  finding: Finding,
  now: DateTime.Utc
): Result.Result<Order, NotResolvable> => {
  const { service, transactionId } = order
  const fail = (cause: NotResolvable["cause"]) => Result.fail(new NotResolvable({ transactionId, cause, status }))
  if (status !== "PROCESSING" && status !== "PENDING") return fail("settled")
  if (Duration.isLessThan(DateTime.distance(order.createdAt, now), inProgress_max)) return fail("young")
  const ofPolicy = service.type === "insurance"
  if (finding._tag === "Success" && ofPolicy !== (finding.validity !== null))
    return fail(ofPolicy ? "no_validity" : "validity")
  return Result.succeed(order)
}

/** The proposal that this operator may confirm: another's. */
export const confirmable = (
  { order: { transactionId }, proposal }: Stuck,
  operator: string
): Result.Result<Proposal, NotConfirmable> => {
  if (proposal === null) return Result.fail(new NotConfirmable({ transactionId, cause: "no_proposal" }))
  return proposal.proposedBy === operator
    ? Result.fail(new NotConfirmable({ transactionId, cause: "same_operator" }))
    : Result.succeed(proposal)
}

/** What the finding means for the money, unless the supplier firmly says otherwise. */
export const verdictOn = (
  order: Order,
  finding: Finding,
  said: StatusAnswer
): Result.Result<Verdict, SupplierDisagrees> => {
  const disagrees =
    (said._tag === "Delivered" && finding._tag === "Failed") || (said._tag === "Refused" && finding._tag === "Success")
  if (disagrees) return Result.fail(new SupplierDisagrees({ transactionId: order.transactionId, said: said._tag }))
  return Result.succeed(
    Finding.match(finding, {
      Success: ({ authCode, validity }) =>
        Verdict.Confirm({
          delivery: { authCode, rechargeToken: null, ...(validity === null ? {} : { validity }) }
        }),
      Failed: () => Verdict.Release({ refusal: denialOf(order) })
    })
  )
}
