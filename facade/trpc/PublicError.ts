import { TRPCError } from "@trpc/server"
import { Predicate } from "effect"
import { internalError, isCoreError, type PublicError, toPublic } from "../../core/domain/ErrorCatalogue.ts"
import { type CoreError, Invalid, NotFound, NotJson } from "../../core/domain/Errors.ts"

// tRPC's own names, which only tRPC's clients read. It has none for 202: an outcome that did not come in time.
const trpcCodes: Readonly<Record<number, TRPCError["code"]>> = {
  202: "TIMEOUT",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  409: "CONFLICT",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
  422: "UNPROCESSABLE_CONTENT",
  429: "TOO_MANY_REQUESTS",
  501: "NOT_IMPLEMENTED",
  503: "SERVICE_UNAVAILABLE"
}

/** Carries a cause through tRPC. */
export const trpcError = (error: CoreError): TRPCError => {
  const { message, status } = toPublic(error)
  return new TRPCError({ code: trpcCodes[status] ?? "INTERNAL_SERVER_ERROR", message, cause: error })
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
      return new Invalid({ details: { body: "json_invalido" } })
    default:
      return undefined
  }
}

/** What a caller is told of whatever a procedure threw; both faces ask here. */
export const publicErrorOf = (error: unknown): PublicError => {
  const cause = error instanceof TRPCError ? (isCoreError(error.cause) ? error.cause : ofTrpc(error)) : error
  return isCoreError(cause) ? toPublic(cause) : internalError
}

/** The failure behind what a procedure threw when it is ours, to be logged; undefined when it is the caller's. */
export const defectOf = (error: unknown): unknown => {
  if (publicErrorOf(error) !== internalError || isHangUp(error)) return undefined
  return error instanceof TRPCError ? (error.cause ?? error) : error
}

const isHangUp = (error: unknown): boolean =>
  Predicate.hasProperty(error, "code") && error.code === "CLIENT_CLOSED_REQUEST"
