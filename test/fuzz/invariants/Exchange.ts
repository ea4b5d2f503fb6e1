import { Predicate } from "effect"
import type { ErrorCode } from "../../../core/domain/ErrorCodes.ts"
import type { ApiResponse } from "../../support/ApiDocument.ts"
import type { PreparedRequest } from "../request/OperationCall.ts"
import type { Operation } from "../request/Operations.ts"
import type { Caller } from "../service/Callers.ts"

/** A request and its response. */
export interface Exchange extends PreparedRequest {
  readonly caller: Caller
  readonly protocol: "rest" | "trpc" | "batch"
  /** The documented operation at the method and path of the request; undefined if no operation is documented for them. */
  readonly served: Operation | undefined
  /** Whether the request was sent without mutations. */
  readonly plain: boolean
  readonly answer: ApiResponse
}

/** A violated invariant, with the facts that show the violation. */
export interface Violation {
  readonly invariant: string
  readonly what: string
}

/** Outcome of one call, over REST or tRPC. */
export interface CallResult {
  readonly operation: Operation
  /** HTTP status as REST would return it. */
  readonly status: number
  /** The data of a success or the details of an error; undefined if the response has no JSON object. */
  readonly payload: Readonly<Record<string, unknown>> | undefined
  readonly code: ErrorCode | undefined
  readonly replayed: boolean
}

const payloadOf = (value: unknown): CallResult["payload"] => (Predicate.isObject(value) ? value : undefined)

const restResult = ({ answer, filled: [{ operation }], served = operation }: Exchange): CallResult => ({
  operation: served,
  status: answer.status,
  payload: payloadOf(answer.body?.data ?? answer.body?.error?.details),
  code: answer.body?.error?.code,
  replayed: answer.headers.get("idempotent-replay") === "true"
})

interface TrpcItem {
  readonly result?: { readonly data?: unknown }
  readonly error?: {
    readonly data?: {
      readonly httpStatus?: number
      readonly request_id?: string
      readonly error?: { readonly code?: ErrorCode; readonly message?: unknown; readonly details?: unknown }
    }
  }
}

/** The tRPC results in a response, one for each call. */
export const trpcItems = ({ answer: { body }, protocol }: Exchange): ReadonlyArray<TrpcItem> =>
  protocol === "batch" && Array.isArray(body) ? body : [body ?? {}]

const trpcResults = (exchange: Exchange): ReadonlyArray<CallResult> =>
  trpcItems(exchange).flatMap(({ error, result }, index) => {
    const operation = exchange.filled[index]?.operation
    if (operation === undefined) return []
    return [
      {
        operation,
        status: error?.data?.httpStatus ?? (result === undefined ? exchange.answer.status : 200),
        payload: payloadOf(result?.data ?? error?.data?.error?.details),
        code: error?.data?.error?.code,
        replayed: exchange.answer.headers.get("idempotent-replay") === "true"
      }
    ]
  })

/** The outcomes of the calls of an exchange. A CORS preflight makes no call. */
export const callResultsOf = (exchange: Exchange): ReadonlyArray<CallResult> => {
  if (exchange.request.method === "OPTIONS") return []
  return exchange.protocol === "rest" ? [restResult(exchange)] : trpcResults(exchange)
}

/** Whether a call succeeded or may still succeed. */
export const isSuccess = ({ status }: CallResult): boolean => status < 300
