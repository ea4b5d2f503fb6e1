import type { Wire } from "./Wire.ts"

/** A code of the error catalogue. */
export type ErrorCode = Wire["errorCode"]

/** The details of an error with a code. Undefined for a code without details. */
export type DetailsOf<Code extends ErrorCode> = Code extends keyof Wire["errorDetails"]
  ? Wire["errorDetails"][Code]
  : undefined

/** What an error of a call states in addition to its cause. */
interface Call {
  /** The idempotency key of the operation. Undefined for a call that takes no key. */
  idempotencyKey: string | undefined
  /**
   * Whether the operation may have been carried out. If so, retry the operation with the same key, or look for the
   * operation.
   */
  outcomeUnknown: boolean
}

/** An error response. */
interface ErrorAnswer {
  readonly code: ErrorCode
  readonly message: string
  readonly httpStatus: number
  readonly details?: unknown
  readonly requestId?: string | undefined
  /** Pause before a retry that the server demands with Retry-After. */
  readonly retryAfter_ms?: number | undefined
}

class AnsweredError<Code extends ErrorCode> extends Error implements Call {
  override readonly name = "SaldoError"
  readonly code: Code
  readonly httpStatus: number
  readonly details: DetailsOf<Code>
  /** Identifies the HTTP call. State it when you report a problem. */
  readonly requestId: string | undefined
  readonly retryAfter_ms: number | undefined
  idempotencyKey: string | undefined
  outcomeUnknown = false

  constructor({ code, details, httpStatus, message, requestId, retryAfter_ms }: ErrorAnswer) {
    super(message)
    this.code = code as Code
    this.httpStatus = httpStatus
    this.details = details as DetailsOf<Code>
    this.requestId = requestId
    this.retryAfter_ms = retryAfter_ms
  }
}

// Stack traces show the name of the class.
Object.defineProperty(AnsweredError, "name", { value: "SaldoError" })

/** An error response of the service. `code` determines the type of `details`. */
export type SaldoError = { [Code in ErrorCode]: AnsweredError<Code> }[ErrorCode]

export const SaldoError = AnsweredError as unknown as {
  new (answer: ErrorAnswer): SaldoError
  readonly prototype: SaldoError
}

/** The service gave no response: the connection failed, the time ran out, or the response is not from the service. */
export class SaldoNetworkError extends Error implements Call {
  override readonly name = "SaldoNetworkError"
  /** The status of a response that is not from the service, such as a proxy's. Undefined if there was no response. */
  readonly httpStatus: number | undefined
  readonly retryAfter_ms: number | undefined
  idempotencyKey: string | undefined
  outcomeUnknown = false

  constructor(
    message: string,
    { cause, httpStatus, retryAfter_ms }: { cause?: unknown; httpStatus?: number; retryAfter_ms?: number | undefined }
  ) {
    super(message, { cause })
    this.httpStatus = httpStatus
    this.retryAfter_ms = retryAfter_ms
  }
}

// Compares names, because a program can load the package twice: as ESM and as CommonJS.
const isNamed = (error: unknown, name: string): boolean => error instanceof Error && error.name === name

/** Whether an error is an error response of the service. */
export const isSaldoError = (error: unknown): error is SaldoError => isNamed(error, "SaldoError")

/** Whether an error means that the service gave no response. */
export const isSaldoNetworkError = (error: unknown): error is SaldoNetworkError => isNamed(error, "SaldoNetworkError")

/** A failed call. */
export type Failure = SaldoError | SaldoNetworkError

export const isFailure = (error: unknown): error is Failure => isSaldoError(error) || isSaldoNetworkError(error)
