import { Schema } from "effect"
import { InsuranceId, TransactionId } from "./Ids.ts"
import { ExtraCode } from "./InsuranceOffer.ts"
import { InsuranceState, type StepOutOfOrder } from "./InsuranceState.ts"

/** The insurer or the SMS gateway cannot be reached now. Nothing was sold. Contract: 7. */
export class InsuranceUnavailable extends Schema.TaggedError<InsuranceUnavailable>()("InsuranceUnavailable", {}) {}

/** The insurer refused the data. Contract: 7. */
export class InsuranceRejected extends Schema.TaggedError<InsuranceRejected>()("InsuranceRejected", {
  /** The insurer's reason, for people. */
  reason: Schema.String
}) {}

/** The insurer does not insure this type of vehicle. Contract: 7. */
export class VehicleUnsupported extends Schema.TaggedError<VehicleUnsupported>()("VehicleUnsupported", {}) {}

/** The vehicle already has a valid policy. Contract: 4.6. */
export class PolicyActive extends Schema.TaggedError<PolicyActive>()("PolicyActive", {
  /** First local day on which the policy may be renewed. */
  renewableFrom: Schema.String
}) {}

/** The one-time code is wrong or has expired. Contract: 7. */
export class CodeWrong extends Schema.TaggedError<CodeWrong>()("CodeWrong", { attemptsLeft: Schema.Int }) {}

/** Too many wrong one-time codes, or too many resends. The buyer must start a new insurance. Contract: 7. */
export class CodeBlocked extends Schema.TaggedError<CodeBlocked>()("CodeBlocked", {}) {}

/** The phone has received the maximum number of messages of a period. Contract: 4.6. */
export class PhoneLimited extends Schema.TaggedError<PhoneLimited>()("PhoneLimited", {
  period: Schema.Literals(["hora", "dia"]),
  messages_max: Schema.Int,
  retryAfter_s: Schema.Int
}) {}

/** The insurer did not offer this version of the vehicle. Contract: 4.6, step 3. */
export class VersionUnknown extends Schema.TaggedError<VersionUnknown>()("VersionUnknown", {}) {}

/** The insurer does not offer this plan for the version. Contract: 4.6, step 4. */
export class PlanUnknown extends Schema.TaggedError<PlanUnknown>()("PlanUnknown", {}) {}

/** These extras are not available for the vehicle. Contract: 4.6, step 5. */
export class ExtrasUnavailable extends Schema.TaggedError<ExtrasUnavailable>()("ExtrasUnavailable", {
  extras: Schema.Array(ExtraCode)
}) {}

/** The insurance has not been quoted. Contract: 4.6. */
export class QuoteMissing extends Schema.TaggedError<QuoteMissing>()("QuoteMissing", {}) {}

/** The quote has expired. Contract: 4.6. */
export class QuoteExpired extends Schema.TaggedError<QuoteExpired>()("QuoteExpired", {}) {}

/** The quote was sold, is being sold, or its sale failed definitively. Contract: 4.6. */
export class AlreadySold extends Schema.TaggedError<AlreadySold>()("AlreadySold", {
  insuranceId: InsuranceId,
  state: InsuranceState,
  transactionId: Schema.NullOr(TransactionId)
}) {}

/** The documents were requested before the policy was issued. Contract: 4.6. */
export class PolicyNotIssued extends Schema.TaggedError<PolicyNotIssued>()("PolicyNotIssued", {
  state: InsuranceState
}) {}

/** All errors that only insurance has. */
export type InsuranceError =
  | InsuranceUnavailable
  | InsuranceRejected
  | VehicleUnsupported
  | PolicyActive
  | CodeWrong
  | CodeBlocked
  | PhoneLimited
  | StepOutOfOrder
  | VersionUnknown
  | PlanUnknown
  | ExtrasUnavailable
  | QuoteMissing
  | QuoteExpired
  | AlreadySold
  | PolicyNotIssued
