import { Schema } from "effect"
import { InsuranceId, TransactionId } from "./Ids.ts"
import { ExtraCode } from "./InsuranceOffer.ts"
import { InsuranceState } from "./InsuranceState.ts"

/** No insurer, or nobody who sends its codes, can be reached now; nothing was sold. Contract: 7. */
export class InsuranceUnavailable extends Schema.TaggedError<InsuranceUnavailable>()("InsuranceUnavailable", {}) {}

/** The insurer does not accept the data. Contract: 7. */
export class InsuranceRejected extends Schema.TaggedError<InsuranceRejected>()("InsuranceRejected", {
  /** What the insurer says, for a person. */
  reason: Schema.String
}) {}

/** The insurer does not insure such vehicles. Contract: 7. */
export class VehicleUnsupported extends Schema.TaggedError<VehicleUnsupported>()("VehicleUnsupported", {}) {}

/** The vehicle is insured already. Contract: 4.6. */
export class PolicyActive extends Schema.TaggedError<PolicyActive>()("PolicyActive", {
  /** The local day from which it may be renewed. */
  renewableFrom: Schema.String
}) {}

/** The code is wrong, or was right too late. Contract: 7. */
export class CodeWrong extends Schema.TaggedError<CodeWrong>()("CodeWrong", { attemptsLeft: Schema.Int }) {}

/** Too many wrong codes, or too many codes: the insurance has to be started again. Contract: 7. */
export class CodeBlocked extends Schema.TaggedError<CodeBlocked>()("CodeBlocked", {}) {}

/** The step does not belong to this state; nothing changed. Contract: 3.3. */
export class StepOutOfOrder extends Schema.TaggedError<StepOutOfOrder>()("StepOutOfOrder", {
  state: InsuranceState
}) {}

/** The insurer named no such version of the vehicle. Contract: 4.6, step 3. */
export class VersionUnknown extends Schema.TaggedError<VersionUnknown>()("VersionUnknown", {}) {}

/** The insurer has no such plan for the version. Contract: 4.6, step 4. */
export class PlanUnknown extends Schema.TaggedError<PlanUnknown>()("PlanUnknown", {}) {}

/** The vehicle cannot have these extras. Contract: 4.6, step 5. */
export class ExtrasUnavailable extends Schema.TaggedError<ExtrasUnavailable>()("ExtrasUnavailable", {
  extras: Schema.Array(ExtraCode)
}) {}

/** The insurance has no price yet. Contract: 4.6. */
export class QuoteMissing extends Schema.TaggedError<QuoteMissing>()("QuoteMissing", {}) {}

/** The price no longer holds. Contract: 4.6. */
export class QuoteExpired extends Schema.TaggedError<QuoteExpired>()("QuoteExpired", {}) {}

/** The quote was sold, is being sold, or its sale failed for good. Contract: 4.6. */
export class AlreadySold extends Schema.TaggedError<AlreadySold>()("AlreadySold", {
  insuranceId: InsuranceId,
  state: InsuranceState,
  transactionId: Schema.NullOr(TransactionId)
}) {}

/** There are no documents before there is a policy. Contract: 4.6. */
export class PolicyNotIssued extends Schema.TaggedError<PolicyNotIssued>()("PolicyNotIssued", {
  state: InsuranceState
}) {}

/** Every cause that only a policy has, on its way to one. */
export type InsuranceError =
  | InsuranceUnavailable
  | InsuranceRejected
  | VehicleUnsupported
  | PolicyActive
  | CodeWrong
  | CodeBlocked
  | StepOutOfOrder
  | VersionUnknown
  | PlanUnknown
  | ExtrasUnavailable
  | QuoteMissing
  | QuoteExpired
  | AlreadySold
  | PolicyNotIssued
