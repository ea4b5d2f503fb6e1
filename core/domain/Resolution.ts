import { DateTime, Duration, Result, Schema } from "effect"
import { inProgress_max } from "./Idempotency.ts"
import { Validity } from "./InsuranceOffer.ts"
import { NotConfirmable, NotResolvable, SupplierDisagrees } from "./OperatorErrors.ts"
import type { StatusAnswer } from "./Recovery.ts"
import { denialOf, Order, Verdict } from "./Sale.ts"
import type { ServiceType } from "./Service.ts"
import { Status } from "./Status.ts"

/** How an operator says that a sale ended, on proof from outside. */
export const Finding = Schema.TaggedUnion({
  /** Delivered, with the supplier's authorization; of electricity also its token, of a policy its days. */
  Success: {
    authCode: Schema.String,
    rechargeToken: Schema.NullOr(Schema.String),
    validity: Schema.NullOr(Validity)
  },
  Failed: {}
})
export type Finding = typeof Finding.Type

/** What one operator proposes and another has to confirm. */
export const Proposal = Schema.Struct({
  /** Counts the proposals for a sale: who confirms one names it, so that it is the one that he has seen. */
  number: Schema.Int,
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

const tokenForm = /^(\d{4})[ -]?(\d{4})[ -]?(\d{4})[ -]?(\d{4})[ -]?(\d{4})$/

/** Twenty digits in groups of four, as a sale of electricity answers them; null for anything else. Contract: 4.5. */
export const readRechargeToken = (text: string): string | null =>
  tokenForm.exec(text.trim())?.slice(1).join(" ") ?? null

/** What a success lacks, or has too much, that a sale of this type would have answered. */
const amissIn = (
  type: ServiceType,
  { rechargeToken, validity }: Extract<Finding, { _tag: "Success" }>
): NotResolvable["cause"] | null => {
  const ofPolicy = type === "insurance"
  const ofElectricity = type === "electricity_prepaid"
  if (ofPolicy !== (validity !== null)) return ofPolicy ? "no_validity" : "validity"
  if (ofElectricity !== (rechargeToken !== null)) return ofElectricity ? "no_token" : "token"
  return validity !== null && validity.until < validity.from ? "ends_before" : null
}

/**
 * May an operator say how the sale ended? Only once nothing on our side can still be working on it, and only with all
 * that a sale of its type answers.
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
  const amiss = finding._tag === "Success" ? amissIn(service.type, finding) : null
  return amiss === null ? Result.succeed(order) : fail(amiss)
}

/** The proposal that this operator may confirm: another's, and the one that he has seen. */
export const confirmable = (
  { order: { transactionId }, proposal }: Stuck,
  { number, operator }: { readonly number: number; readonly operator: string }
): Result.Result<Proposal, NotConfirmable> => {
  const fail = (cause: NotConfirmable["cause"]) => Result.fail(new NotConfirmable({ transactionId, cause }))
  if (proposal === null) return fail("no_proposal")
  if (proposal.number !== number) return fail("changed")
  return proposal.proposedBy === operator ? fail("same_operator") : Result.succeed(proposal)
}

/**
 * What the finding means for the money, unless the supplier firmly says otherwise. Its own proof of a delivery stands
 * above what operators have written down.
 */
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
      Success: ({ authCode, rechargeToken, validity }) =>
        Verdict.Confirm({
          delivery:
            said._tag === "Delivered"
              ? said.delivery
              : { authCode, rechargeToken, ...(validity === null ? {} : { validity }) }
        }),
      Failed: () => Verdict.Release({ refusal: denialOf(order) })
    })
  )
}
