import type { Answer } from "./Connection.ts"
import { type ErrorCode, type Failure, SaldoError, SaldoNetworkError } from "./Errors.ts"

interface ErrorObject {
  readonly code?: unknown
  readonly message?: string
  readonly details?: unknown
}

/** A response body: a tRPC success, a tRPC error, or a REST error. */
interface Body {
  readonly result?: { readonly data: unknown }
  readonly error?: ErrorObject & {
    readonly data?: { readonly error?: ErrorObject; readonly httpStatus?: number; readonly request_id?: string }
  }
  readonly request_id?: string
}

const bodyOf = ({ bytes }: Answer): Body => {
  try {
    return Object(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    return {}
  }
}

const retryAfterOf = ({ headers }: Answer): number | undefined => {
  const after = headers.get("retry-after")
  if (after === null) return undefined
  const pause_ms = /^\d+$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - Date.now()
  return pause_ms >= 0 ? pause_ms : undefined
}

const failureOf = (answer: Answer, { error: { data, ...rest } = {}, request_id }: Body): Failure => {
  const { code, details, message = "" } = data?.error ?? rest
  const httpStatus = data?.httpStatus ?? answer.status
  const retryAfter_ms = retryAfterOf(answer)
  if (typeof code !== "string") {
    return new SaldoNetworkError(`The response with status ${answer.status} is not from Saldo.`, {
      httpStatus,
      retryAfter_ms
    })
  }
  const requestId = data?.request_id ?? request_id
  return new SaldoError({ code: code as ErrorCode, message, details, httpStatus, requestId, retryAfter_ms })
}

/** The data of a tRPC response. Throws a failure if the response has no data. */
export const dataOf = (answer: Answer): unknown => {
  const body = bodyOf(answer)
  if (body.result === undefined) throw failureOf(answer, body)
  return body.result.data
}

/** The file in a REST response. Throws a failure if the response has no file. */
export const fileOf = (answer: Answer): Uint8Array => {
  const { bytes, headers, status } = answer
  const isFile = status === 200 && /^(?:application\/pdf|text\/csv)\b/.test(headers.get("content-type") ?? "")
  if (!isFile) throw failureOf(answer, bodyOf(answer))
  return bytes
}
