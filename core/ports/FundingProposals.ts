import { Context, Data, type DateTime, type Effect, type Option } from "effect"
import type { FundingProposal } from "../domain/FundingProposal.ts"
import type { CompanyId } from "../domain/Ids.ts"
import type { Centavos } from "../domain/Money.ts"
import type { Confirmation } from "../domain/OperatorErrors.ts"

/** A proposal before it is stored. */
export type FundingRequest = Omit<FundingProposal, "number" | "state" | "decision" | "entryId">

/** The result of a proposal. Nothing was stored unless the tag is Proposed. */
export type FundingProposed = Data.TaggedEnum<{
  Proposed: { readonly number: number }
  /** A pending proposal of the company has the same kind and reference. */
  AlreadyProposed: { readonly number: number }
  /** An entry of the company has the same kind and reference, with this signed amount in centavos. */
  AlreadyRecorded: { readonly entryId: number; readonly amount: number }
  /** A deposit of another company has the same reference, and `isRepeated` was not set. */
  UsedElsewhere: { readonly companyId: CompanyId }
  /** The available amount is smaller than the amount that the adjustment takes away. */
  Insufficient: { readonly available: Centavos }
}>
export const FundingProposed = Data.taggedEnum<FundingProposed>()

/** The result of a confirmation. No money has moved unless the tag is Recorded. */
export type FundingConfirmed = Data.TaggedEnum<{
  /** The entry was written. `balance` is the amount that the company owns after it. */
  Recorded: { readonly entryId: number; readonly balance: Centavos }
  /** The proposal was already confirmed or rejected, or has expired, or this operator proposed it. */
  NotPending: {}
  /** Since the proposal, another entry of the company has used the reference, with this amount. */
  AlreadyRecorded: { readonly entryId: number; readonly amount: number }
  /** Since the proposal, a deposit of another company has used the reference, and `isRepeated` was not set. */
  UsedElsewhere: { readonly companyId: CompanyId }
  /** The available amount is smaller than the amount that the adjustment takes away. */
  Insufficient: { readonly available: Centavos }
  /** The balance would exceed the maximum. */
  BeyondRange: {}
}>
export const FundingConfirmed = Data.taggedEnum<FundingConfirmed>()

/**
 * Proposals of deposits and adjustments. A confirmation and its ledger entry are one database transaction: both are
 * committed, or neither. Of concurrent decisions on a proposal, exactly one takes effect. A database failure is a defect;
 * the call may be repeated.
 */
export class FundingProposals extends Context.Service<
  FundingProposals,
  {
    readonly find: (number: number) => Effect.Effect<Option.Option<FundingProposal>>
    /** The newest proposals of a company, or of all companies if null. At most `limit`. */
    readonly list: (companyId: CompanyId | null, limit: number) => Effect.Effect<ReadonlyArray<FundingProposal>>
    readonly propose: (request: FundingRequest) => Effect.Effect<FundingProposed>
    readonly confirm: (proposal: FundingProposal, confirmation: Confirmation) => Effect.Effect<FundingConfirmed>
    /** Returns false if the proposal was already confirmed or rejected, or has expired. */
    readonly reject: (
      proposal: FundingProposal,
      rejection: { readonly by: string; readonly at: DateTime.Utc; readonly reason: string }
    ) => Effect.Effect<boolean>
  }
>()("saldo/core/FundingProposals") {}
