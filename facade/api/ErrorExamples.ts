import { Record, Result } from "effect"
import { type PublicError, toPublic } from "../../core/domain/ErrorCatalogue.ts"
import { codes, type ErrorCode } from "../../core/domain/ErrorCodes.ts"
import {
  BodyTooLarge,
  type CoreError,
  DuplicateTransaction,
  Forbidden,
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
import { AlreadySold, CodeWrong, PolicyActive, PolicyNotIssued } from "../../core/domain/InsuranceErrors.ts"
import { StepOutOfOrder } from "../../core/domain/InsuranceState.ts"
import { Amount, Centavos } from "../../core/domain/Money.ts"
import { type HttpError, requestTooSlow } from "./Envelope.ts"
import { namedByHeader } from "./Input.ts"
import type { Procedure } from "./Procedure.ts"

/** The request_id of examples. */
export const exampleRequestId = "01990b2e-6f4c-7a10-9c3f-2f6d1f0b7e55"

const transactionId = TransactionId.make(1)
const xid = "RD-3f2a9c1be07d4a55c1d2e3f4"
const sale = { transactionId, xid }
const amount = Amount.make(10_000)

/** Errors with details, for the examples of the documentation. The examples of one code keep this order. */
const causes: ReadonlyArray<CoreError> = [
  new Forbidden({ why: "permission", permission: "transactions.read" }),
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

/**
 * The examples of each error code. There is one example for each cause with its own message, and the example of a sale
 * is first.
 */
export const errorExamples = Record.map(codes, (_, code) => examplesFor(code))

/** The errors of an endpoint with a request body that can occur before the body is decoded. */
export const bodyExamples: ReadonlyArray<HttpError> = [
  toPublic(new BodyTooLarge()),
  toPublic(new NotJson()),
  requestTooSlow
]

/** The example of a validation error for an endpoint without fields: one of its headers is malformed. */
const headerFault = new Invalid({ details: { headers: "invalido" } })

/**
 * Invalid inputs of a procedure. The first input lacks the required fields. Each further input has one field of a wrong
 * type.
 */
const invalidInputs = ({ input, meta }: Procedure): ReadonlyArray<object> => {
  const names = Object.keys(input.schema.fields)
  const ofPath = Object.fromEntries(names.filter((name) => meta.path.includes(`{${name}}`)).map((name) => [name, "1"]))
  return [ofPath, ...names.map((name) => ({ ...ofPath, [name]: [] }))]
}

/** The validation error that the procedure's own reader returns for an invalid input. */
export const inputFault = (procedure: Procedure): PublicError => {
  const faults = invalidInputs(procedure).flatMap((raw) => {
    const read = procedure.input.read(raw)
    const fault = Result.isFailure(read) ? namedByHeader(read.failure) : undefined
    return fault?._tag === "Invalid" ? [fault] : []
  })
  return toPublic(faults[0] ?? headerFault)
}
