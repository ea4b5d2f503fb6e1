import { Data, Effect, Predicate, Result, Schema } from "effect"
import type { Headers, HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { NotAttempted } from "./Guard.ts"

// These system calls resolve the address and open the connection. So if one of them fails, no byte of the request was sent.
const beforeConnected: ReadonlySet<unknown> = new Set(["getaddrinfo", "connect"])

// Error codes of a rejected certificate. The server's certificate is verified before the request is written.
export const certificateCodes: ReadonlySet<unknown> = new Set([
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REJECTED",
  "CERT_REVOKED",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "HOSTNAME_MISMATCH",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
])

const connectTimeout = "UND_ERR_CONNECT_TIMEOUT"

/**
 * Whether a failed request provably never left this process. Proof is that the request could not be encoded, the
 * address was not found, no connection was opened, or the certificate was rejected. Other error codes prove nothing,
 * because a connection can be reset after the request was sent.
 *
 * Relies on undici: it writes a request only to an open, verified connection, and does not follow redirects.
 */
export const isProvablyUnsent = ({ reason }: HttpClientError.HttpClientError): boolean => {
  if (reason._tag === "EncodeError" || reason._tag === "InvalidUrlError") return true
  return reason._tag === "TransportError" && isBeforeConnected(reason.cause)
}

const isBeforeConnected = (cause: unknown): boolean => {
  if (cause instanceof NotAttempted) return true
  if (!Predicate.isObject(cause)) return false
  // An error's `cause` and `message` are not enumerable, so spreading the error would lose them.
  const { cause: inner, code, errors, syscall } = cause as Record<string, unknown>
  if (beforeConnected.has(syscall) || certificateCodes.has(code) || code === connectTimeout) return true
  // The list has one error for each address that was tried. The request is unsent only if every attempt failed before
  // its connection was open.
  if (Array.isArray(errors) && errors.length > 0) return errors.every(isBeforeConnected)
  return isBeforeConnected(inner)
}

/** The result of an HTTP request to an external service. */
export type Exchange = Data.TaggedEnum<{
  /** The complete response arrived. The body is undefined if it is not JSON. */
  Answered: { readonly status: number; readonly headers: Headers.Headers; readonly body: unknown }
  /** The request provably never left this process. */
  NotSent: { readonly error: HttpClientError.HttpClientError }
  /** The service may have received and executed the request, but no complete response arrived. */
  Lost: { readonly error: HttpClientError.HttpClientError }
}>
export const Exchange = Data.taggedEnum<Exchange>()

/** Sends a request once and reads the response. The client must not retry requests or follow redirects. */
export const exchange = (
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<Exchange> =>
  client.execute(request).pipe(
    Effect.flatMap((response) =>
      Effect.map(response.text, (text) =>
        Exchange.Answered({ status: response.status, headers: response.headers, body: jsonOf(text) })
      )
    ),
    Effect.catch((error) =>
      Effect.succeed(isProvablyUnsent(error) ? Exchange.NotSent({ error }) : Exchange.Lost({ error }))
    )
  )

const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

const jsonOf = (text: string): unknown => Result.getOrUndefined(decodeJson(text))
