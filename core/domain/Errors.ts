import { Schema } from "effect"
import { InsuranceId, TransactionId } from "./Ids.ts"
import { ExtraCode } from "./InsuranceOffer.ts"
import { InsuranceState } from "./InsuranceState.ts"
import { Amount, Centavos } from "./Money.ts"
import { NamingFlow } from "./Service.ts"
import { Status } from "./Status.ts"

/** The credentials are missing, malformed, wrong or expired. Contract: 5. */
export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()("Unauthenticated", {}) {}

/** Who calls is known and may not. Contract: 5. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", {
  cause: Schema.Literals([
    "token_suspended",
    "token_revoked",
    "company_without_api",
    "company_suspended",
    "address",
    "permission",
    "foreign_company",
    "insurance"
  ])
}) {}

/** Nothing is there, or it belongs to another company: the two look the same. Contract: 4.7. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {}) {}

/** The request does not parse; `details` names each field as the caller knows it, and why. Contract: 7. */
export class Invalid extends Schema.TaggedError<Invalid>()("Invalid", {
  details: Schema.Record(Schema.String, Schema.Unknown)
}) {}

/** The body is larger than this service reads. */
export class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>()("BodyTooLarge", {}) {}

/** The body does not say that it is JSON. */
export class NotJson extends Schema.TaggedError<NotJson>()("NotJson", {}) {}

/** More calls in this minute than the token, or the address, is allowed. Contract: 8. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  retryAfter_s: Schema.Int
}) {}

/** The available balance does not cover the sale; nothing was reserved. Contract: 4.5. */
export class InsufficientBalance extends Schema.TaggedError<InsufficientBalance>()("InsufficientBalance", {
  available: Centavos,
  required: Amount
}) {}

/** The sale would exceed what the company may spend in a period; nothing was reserved. Contract: 4.5. */
export class LimitExceeded extends Schema.TaggedError<LimitExceeded>()("LimitExceeded", {
  period: Schema.Literals(["diario", "semanal", "mensual"]),
  limit: Centavos,
  consumption: Centavos,
  required: Amount
}) {}

/** The same key is still running, or its operation awaits recovery. Contract: 3.2. */
export class RequestInProgress extends Schema.TaggedError<RequestInProgress>()("RequestInProgress", {
  transactionId: TransactionId
}) {}

/** The key already names a sale that it can no longer replay. Contract: 7. */
export class IdempotencyConflict extends Schema.TaggedError<IdempotencyConflict>()("IdempotencyConflict", {
  transactionId: TransactionId,
  status: Status
}) {}

/** The key was used for another body or endpoint. Contract: 4.5. */
export class KeyReused extends Schema.TaggedError<KeyReused>()("KeyReused", {}) {}

/** The outcome is unknown and the amount stays held. Contract: 4.5. */
export class TransactionPending extends Schema.TaggedError<TransactionPending>()("TransactionPending", {
  transactionId: TransactionId,
  xid: Schema.String
}) {}

/** Why a provider refuses for good. */
export const Refusal = Schema.Literals(["INVALID_PHONE", "INVALID_AMOUNT", "TRANSACTION_REJECTED", "SEGURO_NO_EMITIDO"])
export type Refusal = typeof Refusal.Type

/** The provider refused the sale for good; the reservation was returned in full. Contract: 3.1. */
export class Rejected extends Schema.TaggedError<Rejected>()("Rejected", {
  refusal: Refusal,
  transactionId: TransactionId,
  xid: Schema.String
}) {}

/** The bill is paid already, or is being paid. Contract: 7. */
export class DuplicateTransaction extends Schema.TaggedError<DuplicateTransaction>()("DuplicateTransaction", {
  transactionId: TransactionId
}) {}

/** The service does not accept reversal. Contract: 4.5. */
export class ReversalNotSupported extends Schema.TaggedError<ReversalNotSupported>()("ReversalNotSupported", {}) {}

/** Only a sale in SUCCESS can be reversed. Contract: 1. */
export class NotReversible extends Schema.TaggedError<NotReversible>()("NotReversible", {}) {}

/** The outcome of the reversal is unknown; until it is known the sale stands. */
export class ReversalPending extends Schema.TaggedError<ReversalPending>()("ReversalPending", {
  transactionId: TransactionId,
  xid: Schema.String
}) {}

/** The provider refused the reversal for good; the sale stands. */
export class ReversalDenied extends Schema.TaggedError<ReversalDenied>()("ReversalDenied", {
  transactionId: TransactionId,
  xid: Schema.String
}) {}

/** The service does not exist, is not active or is not for this company. Contract: 7. */
export class InvalidProduct extends Schema.TaggedError<InvalidProduct>()("InvalidProduct", {}) {}

/** Of a service whose amount is free, the sale has to say which. Contract: 4.5. */
export class AmountRequired extends Schema.TaggedError<AmountRequired>()("AmountRequired", {}) {}

/** The service is not sold for so much, or so little. Contract: 4.5. */
export class AmountOutOfRange extends Schema.TaggedError<AmountOutOfRange>()("AmountOutOfRange", {
  /** 0 means no bound on that side. */
  minimum: Centavos,
  maximum: Centavos
}) {}

/** What is asked for has another price than the sale says. Contract: 4.5. */
export class PriceMismatch extends Schema.TaggedError<PriceMismatch>()("PriceMismatch", { price: Amount }) {}

/** The sale has to name what it buys, which is to be found first. Contract: 4.5. */
export class OptionRequired extends Schema.TaggedError<OptionRequired>()("OptionRequired", {
  flow: NamingFlow,
  /** What the catalogue says of it, for a person. */
  howToBuy: Schema.String
}) {}

/** Nobody offered this caller such an option, or whoever serves now cannot know it. Contract: 4.5. */
export class InvalidOption extends Schema.TaggedError<InvalidOption>()("InvalidOption", {}) {}

/** The option was offered too long ago. Contract: 4.4. */
export class OptionExpired extends Schema.TaggedError<OptionExpired>()("OptionExpired", {}) {}

/** The provider did not answer a question that moves no money. Contract: 7. */
export class ServiceTimedOut extends Schema.TaggedError<ServiceTimedOut>()("ServiceTimedOut", {}) {}

/** Insurance has its own steps instead of lookups. Contract: 4.4. */
export class NotImplemented extends Schema.TaggedError<NotImplemented>()("NotImplemented", {}) {}

/** No provider can take the sale now; nothing is held. Contract: 7. */
export class ServiceUnavailable extends Schema.TaggedError<ServiceUnavailable>()("ServiceUnavailable", {}) {}

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

/** Every cause that a caller can be told. */
export type CoreError =
  | Unauthenticated
  | Forbidden
  | NotFound
  | Invalid
  | BodyTooLarge
  | NotJson
  | RateLimited
  | InsufficientBalance
  | LimitExceeded
  | RequestInProgress
  | IdempotencyConflict
  | KeyReused
  | TransactionPending
  | Rejected
  | InvalidProduct
  | AmountRequired
  | AmountOutOfRange
  | PriceMismatch
  | OptionRequired
  | InvalidOption
  | OptionExpired
  | DuplicateTransaction
  | ReversalNotSupported
  | NotReversible
  | ReversalPending
  | ReversalDenied
  | ServiceTimedOut
  | NotImplemented
  | ServiceUnavailable
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
