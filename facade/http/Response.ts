import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { internalError, type PublicError, toPublic } from "../../core/domain/ErrorCatalogue.ts"
import type { CoreError } from "../../core/domain/Errors.ts"
import { type Quota, window_s } from "../../core/domain/RateLimit.ts"
import { sha256Hex } from "../../core/domain/Sha256.ts"
import { logDefect } from "../../core/workflows/InFlight.ts"
import type { Call, FileReply } from "../api/Call.ts"
import { failureBody, failureHeaders } from "../api/Envelope.ts"
import { type AddressCounter, countByAddress, ensureQuota } from "../api/Gate.ts"
import { currentCall } from "./Request.ts"

/** The response headers that scripts of other origins may read (CORS). */
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
  "Content-Disposition",
  "WWW-Authenticate",
  "Date"
].join(", ")

/** The headers of every response. Contract: 1. */
const common = {
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": exposed,
  "cache-control": "no-store"
}

/** The headers of the rate limit, both in the form of the contract (8) and in the form of the IETF draft. */
const quotaHeaders = ({ limit, remaining, window }: Quota) => ({
  "x-ratelimit-limit": String(limit),
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(window.endsAt_s),
  ratelimit: `"default";r=${remaining};t=${window.endsIn_s}`,
  "ratelimit-policy": `"default";q=${limit};w=${window_s}`
})

/** The fields of a call that a response needs. */
export type Caller = Pick<Call, "address" | "reply" | "requestId">

type Headers = Readonly<Record<string, string>>

/**
 * The headers of a response to a call, except the headers of the body. Almost every call is counted before its
 * response. For an uncounted call, `ensureQuota` must set the quota first.
 */
export const headersOf = ({ reply, requestId }: Caller, extra: Headers): Headers => ({
  "x-request-id": requestId,
  ...common,
  ...(reply.quota && quotaHeaders(reply.quota)),
  ...reply.headers,
  ...extra
})

/** A response with JSON text or an empty body. */
export const respond = (call: Caller, status: number, body: string | undefined, extra: Headers = {}) => {
  const headers = headersOf(call, extra)
  return body === undefined
    ? HttpServerResponse.empty({ status, headers })
    : HttpServerResponse.text(body, { status, headers, contentType: "application/json" })
}

/**
 * A response with a file or, for HEAD, with only the file's headers. If the stream of the file fails midway, the
 * connection is ended, so the client notices that the file is incomplete.
 */
export const respondFile = (
  call: Caller,
  { body, name, shown, type }: FileReply,
  isHead: boolean
): Effect.Effect<HttpServerResponse.HttpServerResponse, CoreError> => {
  const disposition = `${shown ? "inline" : "attachment"}; filename="${name}"`
  const headers = headersOf(call, { "content-disposition": disposition })
  if (isHead) {
    return Effect.succeed(HttpServerResponse.empty({ status: 200, headers: { ...headers, "content-type": type } }))
  }
  return Effect.isEffect(body)
    ? Effect.map(body, (bytes) => HttpServerResponse.uint8Array(bytes, { headers, contentType: type }))
    : Effect.succeed(
        HttpServerResponse.stream(
          Stream.tapCause(body, (cause) => logFailed(call, cause)),
          { headers, contentType: type }
        )
      )
}

const respondError = (call: Call, error: PublicError) => {
  call.log.codes = [error.code]
  return respond(call, error.status, failureBody(error, call.requestId), failureHeaders(error))
}

/** The response to a call that failed with an error of the catalogue. */
export const refuse = (call: Call, error: CoreError) => respondError(call, toPublic(error))

/**
 * Logs a defect and responds with 500, without the cause of the defect. The log line and the response have the same
 * request id.
 */
export const respondDefect = (call: Call, cause: unknown) =>
  Effect.andThen(
    logFailed(call, cause),
    Effect.map(ensureQuota(call), () => respondError(call, internalError))
  )

export const logFailed = ({ requestId }: Pick<Call, "requestId">, defect: unknown) =>
  logDefect("a call failed", defect, { request_id: requestId })

/** Counts the current call by its address and then responds. Used by routes that are not procedures. */
export const rateLimited = <E extends CoreError, R>(
  answer: (call: Call) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  counter?: AddressCounter
) =>
  Effect.flatMap(currentCall, (call) =>
    countByAddress(call, counter).pipe(
      Effect.andThen(() => answer(call)),
      Effect.catch((error) => Effect.succeed(refuse(call, error)))
    )
  )

/** A weak ETag of a text. */
export const etagOf = (text: string) => Effect.map(sha256Hex(text), (hex) => `W/"${hex.slice(0, 32)}"`)

const opaque = (tag: string): string => tag.trim().replace(/^W\//, "")

/** Whether If-None-Match contains the ETag. If so, the client already has the content. */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => opaque(tag) === opaque(etag)))
