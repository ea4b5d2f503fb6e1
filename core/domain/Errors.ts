import { Schema } from "effect"
import { TransactionId } from "./Ids.ts"
import type { InsuranceError } from "./InsuranceErrors.ts"
import { Amount, Centavos } from "./Money.ts"
import { NamingFlow } from "./Service.ts"
import { Status } from "./Status.ts"

/** The credentials are missing, malformed, wrong or expired. Contract: 5. */
export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()("Unauthenticated", {}) {}

/** Who calls is known and may not. Contract: 5. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", {
  why: Schema.Literals([
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
  details: Schema.Record(Schema.String, Schema.String)
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
  | InsuranceError
