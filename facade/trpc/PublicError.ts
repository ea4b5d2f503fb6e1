import { TRPCError } from "@trpc/server"
import { Predicate } from "effect"
import { internalError, isCoreError, type PublicError, toPublic } from "../../core/domain/ErrorCatalogue.ts"
import type { ErrorStatus } from "../../core/domain/ErrorCodes.ts"
import { type CoreError, NotFound, NotJson } from "../../core/domain/Errors.ts"
import { keyField } from "../wire/Input.ts"
import { malformedBody } from "../wire/Json.ts"

// tRPC's own names, which only tRPC's clients read. It has none for 202: an outcome that did not come in time.
const trpcCodes = {
  202: "TIMEOUT",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  409: "CONFLICT",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
  422: "UNPROCESSABLE_CONTENT",
  429: "TOO_MANY_REQUESTS",
  500: "INTERNAL_SERVER_ERROR",
  501: "NOT_IMPLEMENTED",
  503: "SERVICE_UNAVAILABLE"
} as const satisfies Record<ErrorStatus, TRPCError["code"]>

/** What tRPC calls an error of the catalogue. */
export const trpcCodeOf = ({ status }: PublicError): TRPCError["code"] => trpcCodes[status]

/** Carries a cause through tRPC. */
export const trpcError = (error: CoreError): TRPCError => {
  const shown = toPublic(error)
  return new TRPCError({ code: trpcCodeOf(shown), message: shown.message, cause: error })
}

const ofTrpc = ({ code }: TRPCError): CoreError | undefined => {
  switch (code) {
    case "NOT_FOUND":
    case "METHOD_NOT_SUPPORTED":
      return new NotFound()
    case "UNSUPPORTED_MEDIA_TYPE":
      return new NotJson()
    case "BAD_REQUEST":
    case "PARSE_ERROR":
      return malformedBody
    default:
      return undefined
  }
}

// The catalogue names the key by the header that carries it, and tRPC's callers send a field.
const byField = (error: CoreError): PublicError => {
  const shown = toPublic(error)
  return error._tag === "KeyReused" ? { ...shown, details: { [keyField]: "clave_reutilizada" } } : shown
}

/** What tRPC's callers are told of whatever a procedure threw. */
export const publicErrorOf = (error: unknown): PublicError => {
  const cause = error instanceof TRPCError ? (isCoreError(error.cause) ? error.cause : ofTrpc(error)) : error
  return isCoreError(cause) ? byField(cause) : internalError
}

/** The failure behind what a procedure threw when it is ours, to be logged; undefined when it is the caller's. */
export const defectOf = (error: unknown): unknown => {
  if (publicErrorOf(error) !== internalError || isHangUp(error)) return undefined
  return error instanceof TRPCError ? (error.cause ?? error) : error
}

const isHangUp = (error: unknown): boolean =>
  Predicate.hasProperty(error, "code") && error.code === "CLIENT_CLOSED_REQUEST"
