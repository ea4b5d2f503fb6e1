import { Context, DateTime, Duration, Result, Schema } from "effect"
import { CompanyId } from "./Ids.ts"
import { Amount } from "./Money.ts"
import { type Actor, isSameOperator } from "./Operator.ts"
import { FundingNotDecidable } from "./OperatorErrors.ts"

/** The kind of movement that a proposal makes. An adjustment corrects the available amount, in either direction. */
export const FundingKind = Schema.Literals(["deposit", "adjustment"])
export type FundingKind = typeof FundingKind.Type

export const FundingState = Schema.Literals(["pending", "confirmed", "rejected", "expired"])
export type FundingState = typeof FundingState.Type

/** Number of a proposal, unique over all companies. */
export const ProposalNumber = Schema.Int.check(Schema.isGreaterThan(0)).pipe(Schema.brand("ProposalNumber"))
export type ProposalNumber = typeof ProposalNumber.Type

/** A deposit or adjustment that one operator proposes and another operator confirms or rejects. */
export const FundingProposal = Schema.Struct({
  number: ProposalNumber,
  companyId: CompanyId,
  kind: FundingKind,
  /** Centavos, never 0. Negative if an adjustment decreases the company's money. */
  amount: Schema.Int,
  /** The operator's reference of the movement. Each kind of movement uses a reference once. */
  reference: Schema.String,
  /** Whether a deposit of another company may have the same reference. */
  isRepeated: Schema.Boolean,
  /** Why the balance is adjusted. Null for a deposit. */
  reason: Schema.NullOr(Schema.String),
  proposedBy: Schema.String,
  proposedAt: Schema.DateTimeUtc,
  /** From this instant, the proposal can no longer be confirmed or rejected. */
  expiresAt: Schema.DateTimeUtc,
  state: FundingState,
  /** Who confirmed or rejected the proposal. The reason is null for a confirmation. */
  decision: Schema.NullOr(
    Schema.Struct({ by: Schema.String, at: Schema.DateTimeUtc, reason: Schema.NullOr(Schema.String) })
  ),
  /** The ledger entry of the confirmed proposal. */
  entryId: Schema.NullOr(Schema.Int)
})
export type FundingProposal = typeof FundingProposal.Type

/** How long after it was made a proposal can be confirmed or rejected. */
const life = Duration.hours(24)

export const expiryOf = (proposedAt: DateTime.Utc): DateTime.Utc => DateTime.addDuration(proposedAt, life)

/** Deposits above this amount need the confirmation of another operator. Null: no deposit needs it. */
export const ConfirmAbove = Context.Reference<Amount | null>("saldo/core/ConfirmAbove", {
  defaultValue: () => Amount.make(100_000_000)
})

export const needsConfirmation = (deposit: Amount, limit: Amount | null): boolean => limit !== null && deposit > limit

/** The state of a proposal at an instant. A stored proposal stays pending when it expires. */
export const stateAt = ({ expiresAt, state }: FundingProposal, now: DateTime.Utc): FundingState =>
  state === "pending" && DateTime.isGreaterThanOrEqualTo(now, expiresAt) ? "expired" : state

/** The proposal, if it is pending. */
export const rejectable = (
  proposal: FundingProposal,
  now: DateTime.Utc
): Result.Result<FundingProposal, FundingNotDecidable> => {
  const { decision, number } = proposal
  const why = stateAt(proposal, now)
  return why === "pending"
    ? Result.succeed(proposal)
    : Result.fail(
        new FundingNotDecidable({ number, why, ...(decision && { decision: { by: decision.by, at: decision.at } }) })
      )
}

/**
 * The proposal, if an operator of this name may confirm it: it is pending, and another operator has proposed it. The SQL
 * function `confirm_funding` repeats this rule.
 */
export const confirmableByName = (
  proposal: FundingProposal,
  operator: string,
  now: DateTime.Utc
): Result.Result<FundingProposal, FundingNotDecidable> =>
  Result.flatMap(rejectable(proposal, now), (pending) =>
    isSameOperator(pending.proposedBy, operator)
      ? Result.fail(new FundingNotDecidable({ number: pending.number, why: "same_operator" }))
      : Result.succeed(pending)
  )

/**
 * The proposal, if this operator may confirm it. The operator needs an account: without accounts, nothing shows that two
 * different persons have decided.
 */
export const confirmable = (
  proposal: FundingProposal,
  { id, name }: Pick<Actor, "id" | "name">,
  now: DateTime.Utc
): Result.Result<FundingProposal, FundingNotDecidable> =>
  Result.flatMap(rejectable(proposal, now), (pending) =>
    id === null
      ? Result.fail(new FundingNotDecidable({ number: pending.number, why: "no_account" }))
      : confirmableByName(pending, name, now)
  )

/** Whether this operator has already confirmed the proposal. If so, a repeated confirmation has no effect. */
export const isConfirmedBy = ({ decision, state }: FundingProposal, operator: string): boolean =>
  state === "confirmed" && decision !== null && isSameOperator(decision.by, operator)

/** Sorts pending proposals before all others, and newer proposals before older ones. */
export const pendingFirst = (proposals: ReadonlyArray<FundingProposal>): ReadonlyArray<FundingProposal> =>
  proposals.toSorted(
    (left, right) => Number(right.state === "pending") - Number(left.state === "pending") || right.number - left.number
  )
