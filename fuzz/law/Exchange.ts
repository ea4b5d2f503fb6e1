import { Predicate } from "effect"
import type { ErrorCode } from "../../core/domain/ErrorCodes.ts"
import type { Answered } from "../../tools/api/Answered.ts"
import type { Operation } from "../document/Operations.ts"
import type { Prepared } from "../request/Prepared.ts"
import type { Caller } from "../world/Callers.ts"

/** A request and what it was answered. */
export interface Exchange extends Prepared {
  readonly caller: Caller
  readonly face: "rest" | "trpc" | "batch"
  /** What the document has at its method and path; undefined where there is nothing. */
  readonly served: Operation | undefined
  /** Whether it went out as its operation says, and not as somebody made of it. */
  readonly plain: boolean
  readonly answer: Answered
}

/** A law that an answer breaks, and how. */
export interface Broken {
  readonly law: string
  readonly what: string
}

/** How a call ended, whichever face it came to. */
export interface Ended {
  readonly operation: Operation
  /** As REST has it. */
  readonly status: number
  /** The payload, or the details of an error; undefined where there is no JSON to look at. */
  readonly told: Readonly<Record<string, unknown>> | undefined
  readonly code: ErrorCode | undefined
  readonly replayed: boolean
}

const toldIn = (value: unknown): Ended["told"] => (Predicate.isObject(value) ? value : undefined)

const restEnded = ({ answer, filled: [{ operation }], served = operation }: Exchange): Ended => ({
  operation: served,
  status: answer.status,
  told: toldIn(answer.body?.data ?? answer.body?.error?.details),
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

const trpcEnded = (exchange: Exchange): ReadonlyArray<Ended> =>
  trpcItems(exchange).flatMap(({ error, result }, index) => {
    const operation = exchange.filled[index]?.operation
    if (operation === undefined) return []
    return [
      {
        operation,
        status: error?.data?.httpStatus ?? (result === undefined ? exchange.answer.status : 200),
        told: toldIn(result?.data ?? error?.data?.error?.details),
        code: error?.data?.error?.code,
        replayed: exchange.answer.headers.get("idempotent-replay") === "true"
      }
    ]
  })

/** How the calls of an exchange ended. A browser that only asks what it may send makes none. */
export const endsOf = (exchange: Exchange): ReadonlyArray<Ended> => {
  if (exchange.request.method === "OPTIONS") return []
  return exchange.face === "rest" ? [restEnded(exchange)] : trpcEnded(exchange)
}

/** Whether a call did what it was to do, or may still. */
export const isDone = ({ status }: Ended): boolean => status < 300
