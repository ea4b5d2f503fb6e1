import { Predicate } from "effect"
import type { HttpClientError } from "effect/http"
import { NotAttempted } from "./NotAttempted.ts"

// What these calls do comes before a byte of the request is written: finding the address, and opening the connection.
const beforeConnected: ReadonlySet<unknown> = new Set(["getaddrinfo", "connect"])

// The server's certificate is looked at before the request is written.
const certificateCodes: ReadonlySet<unknown> = new Set([
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
 * Did nothing of a request that failed leave this process? Only what proves it counts: the request could not be written
 * down, the address was not found, no connection came about, the certificate was refused. A code alone proves little: a
 * connection may be reset, or its host become unreachable, long after the request has gone.
 *
 * It reads the errors of undici, which writes a request to an open and verified connection only
 * and follows no redirect.
 */
export const isProvablyUnsent = ({ reason }: HttpClientError.HttpClientError): boolean => {
  if (reason._tag === "EncodeError" || reason._tag === "InvalidUrlError") return true
  return reason._tag === "TransportError" && isBeforeConnected(reason.cause)
}

const isBeforeConnected = (cause: unknown): boolean => {
  if (cause instanceof NotAttempted) return true
  if (!Predicate.isObject(cause)) return false
  // An error's own cause and message are not enumerable, so it is not spread.
  const { cause: inner, code, errors, syscall } = cause as Record<string, unknown>
  if (beforeConnected.has(syscall) || certificateCodes.has(code) || code === connectTimeout) return true
  // An attempt an address: all of them must have failed early.
  if (Array.isArray(errors) && errors.length > 0) return errors.every(isBeforeConnected)
  return isBeforeConnected(inner)
}
