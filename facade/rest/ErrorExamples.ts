import { Record } from "effect"
import { type PublicError, toPublic } from "../../core/domain/ErrorCatalogue.ts"
import { codes, type ErrorCode } from "../../core/domain/ErrorCodes.ts"
import {
  BodyTooLarge,
  type CoreError,
  DuplicateTransaction,
  IdempotencyConflict,
  InsufficientBalance,
  Invalid,
  LimitExceeded,
  NotImplemented,
  NotJson,
  RateLimited,
  Rejected,
  RequestInProgress,
  ReversalDenied,
  ReversalPending,
  TransactionPending
} from "../../core/domain/Errors.ts"
import { InsuranceId, TransactionId } from "../../core/domain/Ids.ts"
import {
  AlreadySold,
  CodeWrong,
  PolicyActive,
  PolicyNotIssued,
  StepOutOfOrder
} from "../../core/domain/InsuranceErrors.ts"
import { Amount, Centavos } from "../../core/domain/Money.ts"
import { type HttpError, requestTooSlow } from "../call/HttpError.ts"

/** The request_id of examples. */
export const exampleRequestId = "01990b2e-6f4c-7a10-9c3f-2f6d1f0b7e55"

const transactionId = TransactionId.make(1)
const xid = "RD-3f2a9c1be07d4a55c1d2e3f4"
const sale = { transactionId, xid }
const amount = Amount.make(10_000)

/**
 * Causes whose details are worth showing; each is rendered as a caller would see it, those of one code in this order.
 */
const causes: ReadonlyArray<CoreError> = [
  new Invalid({ details: { amount: "max_2_decimales" } }),
  new RateLimited({ retryAfter_s: 12 }),
  new InsufficientBalance({ available: Centavos.make(5_000), required: amount }),
  new LimitExceeded({
    period: "diario",
    limit: Centavos.make(5_000_000),
    consumption: Centavos.make(4_995_000),
    required: amount
  }),
  new RequestInProgress({ transactionId }),
  new IdempotencyConflict({ transactionId, status: "SUCCESS" }),
  new DuplicateTransaction({ transactionId }),
  new TransactionPending(sale),
  new ReversalPending(sale),
  new NotImplemented(),
  new Rejected({ ...sale, refusal: "INVALID_PHONE" }),
  new Rejected({ ...sale, refusal: "INVALID_AMOUNT" }),
  new Rejected({ ...sale, refusal: "TRANSACTION_REJECTED" }),
  new ReversalDenied(sale),
  new Rejected({ ...sale, refusal: "SEGURO_NO_EMITIDO" }),
  new AlreadySold({ insuranceId: InsuranceId.make(1), state: "emitida", transactionId }),
  new PolicyActive({ renewableFrom: "2026-01-31" }),
  new PolicyNotIssued({ state: "cotizado" }),
  new CodeWrong({ attemptsLeft: 4 }),
  new StepOutOfOrder({ state: "otp_enviado" })
]

const detailed = Map.groupBy(causes.map(toPublic), ({ code }) => code)

type Examples = readonly [PublicError, ...ReadonlyArray<PublicError>]

const examplesFor = (code: ErrorCode): Examples => {
  const [first = { code, ...codes[code] }, ...others] = detailed.get(code) ?? []
  return [first, ...others]
}

/** How each code may be answered: once for each cause that is told in other words, a sale's first. */
export const errorExamples = Record.map(codes, (_, code) => examplesFor(code))

/** What an endpoint with a body may answer before it reads it. */
export const bodyExamples: ReadonlyArray<HttpError> = [
  toPublic(new BodyTooLarge()),
  toPublic(new NotJson()),
  requestTooSlow
]
