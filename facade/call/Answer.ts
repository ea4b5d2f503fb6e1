import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { internalError, type PublicError, toPublic } from "../../core/domain/ErrorCatalogue.ts"
import type { CoreError } from "../../core/domain/Errors.ts"
import { type Quota, window_s } from "../../core/domain/RateLimit.ts"
import { logDefect } from "../../core/workflows/LogDefect.ts"
import { quotaLeft } from "./Allowance.ts"
import type { Call, FileReply } from "./Call.ts"
import { errorPath } from "./DocsPaths.ts"
import type { HttpError } from "./HttpError.ts"

/** What answers show to scripts of other origins. */
const exposed = [
  "X-Request-Id",
  "Idempotent-Replay",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Location",
  "Link",
  "ETag",
  "Content-Disposition"
].join(", ")

/** On every answer. Contract: 1. */
const everywhere = {
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": exposed,
  "cache-control": "no-store"
}

/** Contract: 8; beside its own names those of the IETF's draft. */
const quotaHeaders = ({ limit, remaining, window }: Quota) => ({
  "x-ratelimit-limit": String(limit),
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(window.endsAt_s),
  ratelimit: `"default";r=${remaining};t=${window.endsIn_s}`,
  "ratelimit-policy": `"default";q=${limit};w=${window_s}`
})

/** Who is answered. */
export type Caller = Pick<Call, "address" | "reply" | "requestId">

/** The same where it is told of the answer. */
type Answering = Caller & Pick<Call, "access">

/** Gives an answer the headers that it has beside those of its body. */
const addHeaders = (headers: object, call: Caller, quota: Quota, extra: Readonly<Record<string, string>>) =>
  Object.assign(headers, { "x-request-id": call.requestId }, everywhere, quotaHeaders(quota), call.reply.headers, extra)

/** The headers of an answer to a call. */
export const headersOf = (call: Caller, extra: Readonly<Record<string, string>>) =>
  Effect.mapEager(quotaLeft(call), (quota): Record<string, string> => addHeaders({}, call, quota, extra))

/** An answer to a call: its body is JSON text, or nothing. */
export const respond = (
  call: Caller,
  status: number,
  body: string | undefined,
  extra: Readonly<Record<string, string>> = {}
) =>
  Effect.mapEager(quotaLeft(call), (quota) => {
    if (body === undefined) return HttpServerResponse.empty({ status, headers: addHeaders({}, call, quota, extra) })
    const response = HttpServerResponse.text(body, { status, contentType: "application/json" })
    // Nobody else has them yet. Given to the constructor they would be copied twice, which takes ten times as long.
    addHeaders(response.headers, call, quota, extra)
    return response
  })

/**
 * A file as the answer to a call. One that breaks off in the middle ends the connection, so that nobody takes it for
 * whole.
 */
export const respondFile = Effect.fnUntraced(function* (call: Caller, { body, name, shown, type }: FileReply) {
  const disposition = `${shown ? "inline" : "attachment"}; filename="${name}"`
  const headers = yield* headersOf(call, { "content-disposition": disposition })
  return body instanceof Uint8Array
    ? HttpServerResponse.uint8Array(body, { headers, contentType: type })
    : HttpServerResponse.stream(
        Stream.tapCause(body, (cause) => logFailed(call, cause)),
        { headers, contentType: type }
      )
})

/** The envelope around the JSON of an answer that went well. Contract: 2.1. */
export const successBody = (data: string, message: string, requestId: string): string =>
  `{"success":true,"data":${data},"message":${JSON.stringify(message)},"request_id":"${requestId}"}`

/** The envelope of a failure. Contract: 2.1. */
export const failureBody = ({ code, details, message }: Omit<PublicError, "status">, requestId: string): string =>
  JSON.stringify({ success: false, error: { code, message, details }, request_id: requestId })

const verifyAfter_s = "10" // contract, 4.5, rule 1
const retryKeyAfter_s = "2" // contract, 4.5, rule 2
const retryServiceAfter_s = "30"

/** What a client's library may act on without reading the body. */
const helpful = ({ code, details, status }: HttpError): Readonly<Record<string, string>> => {
  if (code === "TRANSACTION_PENDING") {
    return { location: String(details?.["consultar_en"]), "retry-after": verifyAfter_s }
  }
  if (code === "RATE_LIMIT_EXCEEDED") return { "retry-after": String(details?.["retry_after"]) }
  if (code === "IDEMPOTENT_REQUEST_IN_PROGRESS") return { "retry-after": retryKeyAfter_s }
  if (code === "SERVICE_UNAVAILABLE" || status === 503) return { "retry-after": retryServiceAfter_s }
  return status === 401 ? { "www-authenticate": 'Bearer realm="saldo"' } : {}
}

/** The headers that a failure has of its own: where a person reads what to do, and what a library may act on. */
export const failureHeaders = (error: HttpError): Readonly<Record<string, string>> => ({
  link: `<${errorPath(error.code)}>; rel="help"`,
  ...helpful(error)
})

const respondFailure = (call: Answering, error: PublicError) => {
  call.access.codes = [error.code]
  return respond(call, error.status, failureBody(error, call.requestId), failureHeaders(error))
}

export const refuse = (call: Answering, error: CoreError) => respondFailure(call, toPublic(error))

/** Says no more than that it failed; the log, under the same request id, says why. */
export const respondDefect = (call: Answering, cause: unknown) =>
  Effect.andThen(logFailed(call, cause), respondFailure(call, internalError))

export const logFailed = ({ requestId }: Pick<Call, "requestId">, broken: unknown) =>
  logDefect("a call failed", broken, { request_id: requestId })
