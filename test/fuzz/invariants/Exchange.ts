import { Predicate } from "effect"
import type { ErrorCode } from "../../../core/domain/ErrorCodes.ts"
import type { ApiResponse } from "../../support/ApiDocument.ts"
import type { PreparedRequest } from "../request/OperationCall.ts"
import type { Operation } from "../request/Operations.ts"
import type { Caller } from "../service/Callers.ts"

/** A request and what it was answered. */
export interface Exchange extends PreparedRequest {
  readonly caller: Caller
  readonly face: "rest" | "trpc" | "batch"
  /** What the document has at its method and path; undefined where there is nothing. */
  readonly served: Operation | undefined
  /** Whether it went out as its operation says, and not as somebody made of it. */
  readonly plain: boolean
  readonly answer: ApiResponse
}

/** A law that an answer breaks, and how. */
export interface Violation {
  readonly law: string
  readonly what: string
}

/** How a call ended, whichever face it came to. */
export interface CallResult {
  readonly operation: Operation
  /** As REST has it. */
  readonly status: number
  /** The payload, or the details of an error; undefined where there is no JSON to look at. */
  readonly told: Readonly<Record<string, unknown>> | undefined
  readonly code: ErrorCode | undefined
  readonly replayed: boolean
}

const payloadOf = (value: unknown): CallResult["told"] => (Predicate.isObject(value) ? value : undefined)

const restResult = ({ answer, filled: [{ operation }], served = operation }: Exchange): CallResult => ({
  operation: served,
  status: answer.status,
  told: payloadOf(answer.body?.data ?? answer.body?.error?.details),
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

/** What tRPC answered each of its calls. */
export const trpcItems = ({ answer: { body }, face }: Exchange): ReadonlyArray<TrpcItem> =>
  face === "batch" && Array.isArray(body) ? body : [body ?? {}]

const trpcResults = (exchange: Exchange): ReadonlyArray<CallResult> =>
  trpcItems(exchange).flatMap(({ error, result }, index) => {
    const operation = exchange.filled[index]?.operation
    if (operation === undefined) return []
    return [
      {
        operation,
        status: error?.data?.httpStatus ?? (result === undefined ? exchange.answer.status : 200),
        told: payloadOf(result?.data ?? error?.data?.error?.details),
        code: error?.data?.error?.code,
        replayed: exchange.answer.headers.get("idempotent-replay") === "true"
      }
    ]
  })

/** How the calls of an exchange ended. A browser that only asks what it may send makes none. */
export const callResultsOf = (exchange: Exchange): ReadonlyArray<CallResult> => {
  if (exchange.request.method === "OPTIONS") return []
  return exchange.face === "rest" ? [restResult(exchange)] : trpcResults(exchange)
}

/** Whether a call did what it was to do, or may still. */
export const isSuccess = ({ status }: CallResult): boolean => status < 300
