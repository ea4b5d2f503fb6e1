import { Schema } from "effect"
import { TransactionId } from "./Ids.ts"
import type { InsuranceError } from "./InsuranceErrors.ts"
import { Amount, Centavos } from "./Money.ts"
import { NamingFlow } from "./Service.ts"
import { Status } from "./Status.ts"
import { Permission } from "./Token.ts"

/** The credentials are missing, malformed, wrong or expired. Contract: 5. */
export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()("Unauthenticated", {}) {}

/** The caller is authenticated but not allowed to do this. Contract: 5. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", {
  why: Schema.Literals([
    "token_suspended",
    "token_revoked",
    "company_without_api",
    "company_suspended",
    "address",
    "permission",
    "foreign_company",
    "insurance",
    "shared_sandbox"
  ]),
  /** The permission that the token lacks. Present only if `why` is "permission". */
  permission: Schema.optionalKey(Permission)
}) {}

/** The resource does not exist, or belongs to another company. The caller cannot tell which. Contract: 4.7. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {}) {}

/** The tRPC procedure exists, but was called with the wrong HTTP method. */
export class WrongMethod extends Schema.TaggedError<WrongMethod>()("WrongMethod", {
  procedure: Schema.String,
  /** The correct method. */
  method: Schema.Literals(["GET", "POST"])
}) {}

/** The request is invalid. `details` maps each field, by its wire name, to a reason. Contract: 7. */
export class Invalid extends Schema.TaggedError<Invalid>()("Invalid", {
  details: Schema.Record(Schema.String, Schema.String)
}) {}

/** The body exceeds the size limit. */
export class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>()("BodyTooLarge", {}) {}

/** The Content-Type of the body is missing or is not JSON. */
export class NotJson extends Schema.TaggedError<NotJson>()("NotJson", {}) {}

/** The token or the address has used up its calls of this minute. Contract: 8. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  retryAfter_s: Schema.Int
}) {}

/** The available balance is smaller than the amount. Nothing was reserved. Contract: 4.5. */
export class InsufficientBalance extends Schema.TaggedError<InsufficientBalance>()("InsufficientBalance", {
  available: Centavos,
  required: Amount
}) {}

/** The sale would exceed the company's limit for a period. Nothing was reserved. Contract: 4.5. */
export class LimitExceeded extends Schema.TaggedError<LimitExceeded>()("LimitExceeded", {
  period: Schema.Literals(["diario", "semanal", "mensual"]),
  limit: Centavos,
  consumption: Centavos,
  required: Amount
}) {}

/** The operation under this key is still running, or waits for recovery. Contract: 3.2. */
export class RequestInProgress extends Schema.TaggedError<RequestInProgress>()("RequestInProgress", {
  transactionId: TransactionId
}) {}

/** The key belongs to an earlier sale, and the response of that sale is no longer stored. Contract: 7. */
export class IdempotencyConflict extends Schema.TaggedError<IdempotencyConflict>()("IdempotencyConflict", {
  transactionId: TransactionId,
  status: Status
}) {}

/** The key was used before with another body or endpoint. Contract: 4.5. */
export class KeyReused extends Schema.TaggedError<KeyReused>()("KeyReused", {}) {}

/** The outcome of the sale is unknown. The amount stays held. Contract: 4.5. */
export class TransactionPending extends Schema.TaggedError<TransactionPending>()("TransactionPending", {
  transactionId: TransactionId,
  xid: Schema.String
}) {}

/** Reasons for which a provider refuses a sale definitively. */
export const Refusal = Schema.Literals(["INVALID_PHONE", "INVALID_AMOUNT", "TRANSACTION_REJECTED", "SEGURO_NO_EMITIDO"])
export type Refusal = typeof Refusal.Type

/** The provider refused the sale definitively. The whole amount was released. Contract: 3.1. */
export class Rejected extends Schema.TaggedError<Rejected>()("Rejected", {
  refusal: Refusal,
  transactionId: TransactionId,
  xid: Schema.String
}) {}

/** The bill is already paid, or a payment of it is in progress. Contract: 7. */
export class DuplicateTransaction extends Schema.TaggedError<DuplicateTransaction>()("DuplicateTransaction", {
  transactionId: TransactionId
}) {}

/** The service does not accept reversal. Contract: 4.5. */
export class ReversalNotSupported extends Schema.TaggedError<ReversalNotSupported>()("ReversalNotSupported", {}) {}

/** Only a sale in SUCCESS can be reversed. Contract: 1. */
export class NotReversible extends Schema.TaggedError<NotReversible>()("NotReversible", {}) {}

/** The outcome of the reversal is unknown. The sale stays in SUCCESS until the outcome is known. */
export class ReversalPending extends Schema.TaggedError<ReversalPending>()("ReversalPending", {
  transactionId: TransactionId,
  xid: Schema.String
}) {}

/** The provider refused the reversal definitively. The sale stays in SUCCESS. */
export class ReversalDenied extends Schema.TaggedError<ReversalDenied>()("ReversalDenied", {
  transactionId: TransactionId,
  xid: Schema.String
}) {}

/** The service does not exist, is not active, or is not sold by this company. Contract: 7. */
export class InvalidProduct extends Schema.TaggedError<InvalidProduct>()("InvalidProduct", {}) {}

/** The service has no fixed price, so the sale must state an amount. Contract: 4.5. */
export class AmountRequired extends Schema.TaggedError<AmountRequired>()("AmountRequired", {}) {}

/** The amount is outside the range of the service. Contract: 4.5. */
export class AmountOutOfRange extends Schema.TaggedError<AmountOutOfRange>()("AmountOutOfRange", {
  /** 0 means no bound on that side. */
  minimum: Centavos,
  maximum: Centavos
}) {}

/** The amount in the request differs from the price of the option. Contract: 4.5. */
export class PriceMismatch extends Schema.TaggedError<PriceMismatch>()("PriceMismatch", { price: Amount }) {}

/** The sale must name an option, which the caller obtains from a lookup first. Contract: 4.5. */
export class OptionRequired extends Schema.TaggedError<OptionRequired>()("OptionRequired", {
  flow: NamingFlow,
  /** The catalogue's text on how to buy the service. */
  howToBuy: Schema.String
}) {}

/** The option was not offered to this company, or the current provider does not know it. Contract: 4.5. */
export class InvalidOption extends Schema.TaggedError<InvalidOption>()("InvalidOption", {}) {}

/** The option has expired. Contract: 4.4. */
export class OptionExpired extends Schema.TaggedError<OptionExpired>()("OptionExpired", {}) {}

/** The provider did not answer a lookup in time. No money is involved. Contract: 7. */
export class ServiceTimedOut extends Schema.TaggedError<ServiceTimedOut>()("ServiceTimedOut", {}) {}

/** Lookups do not serve insurance, which has its own endpoints. Contract: 4.4. */
export class NotImplemented extends Schema.TaggedError<NotImplemented>()("NotImplemented", {}) {}

/** No provider accepts sales now. Nothing is held. Contract: 7. */
export class ServiceUnavailable extends Schema.TaggedError<ServiceUnavailable>()("ServiceUnavailable", {}) {}

/** The company is closed, because its cell is closed. Nothing has changed. Contract: 7. */
export class CompanyClosed extends Schema.TaggedError<CompanyClosed>()("CompanyClosed", {}) {}

/** Too many documents wait to be rendered. Nothing has changed. Contract: 7. */
export class DocumentsBusy extends Schema.TaggedError<DocumentsBusy>()("DocumentsBusy", {}) {}

/** All errors that a caller may see. */
export type CoreError =
  | Unauthenticated
  | Forbidden
  | NotFound
  | WrongMethod
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
  | CompanyClosed
  | DocumentsBusy
  | InsuranceError
