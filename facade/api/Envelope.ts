import { type PublicError, toPublic } from "../../core/domain/ErrorCatalogue.ts"
import type { ErrorCode } from "../../core/domain/ErrorCodes.ts"
import { Invalid, ServiceUnavailable } from "../../core/domain/Errors.ts"

export const documentPath = "/v1/openapi.json"
export const consolePath = "/docs"
export const errorsPath = "/docs/errors"
export const webhooksPath = "/docs/webhooks"
export const guidePath = "/docs/guia"
export const assetsPath = "/docs/assets"
export const postmanPath = "/docs/saldo.postman_collection.json"
export const httpFilePath = "/docs/saldo.http"

/** The path of the page that explains an error code. */
export const errorPath = (code: ErrorCode) => `${errorsPath}/${code}` as const

/** An error with any HTTP status, including statuses that the error catalogue does not use. */
export interface HttpError extends Omit<PublicError, "status"> {
  readonly status: number
}

/** Error for a request with a head (request line and headers) above the size limit. */
export const headTooLarge: HttpError = {
  ...toPublic(new Invalid({ details: { headers: "demasiado_grande" } })),
  status: 431
}

/** Error for a request that did not arrive completely within the time limit. */
export const requestTooSlow: HttpError = { ...toPublic(new Invalid({ details: { body: "incompleto" } })), status: 408 }

/** Error for a connection above the maximum number of connections. Its request was not read. */
export const serverBusy: HttpError = { ...toPublic(new ServiceUnavailable()), status: 503 }

/** The envelope of a success. Contract: 2.1. */
export const successBody = (data: string, message: string, requestId: string): string =>
  `{"success":true,"data":${data},"message":${JSON.stringify(message)},"request_id":"${requestId}"}`

/** The envelope of an error. Contract: 2.1. */
export const failureBody = ({ code, details, message }: Omit<PublicError, "status">, requestId: string): string =>
  JSON.stringify({ success: false, error: { code, message, details }, request_id: requestId })

const verifyAfter_s = "10" // contract, 4.5, rule 1
const retryKeyAfter_s = "2" // contract, 4.5, rule 2
const retryServiceAfter_s = "30"
const retryDocumentAfter_s = "2"

/** The error headers, such as Retry-After, that a client library understands without reading the body. */
const actionHeaders = ({ code, details, status }: HttpError): Readonly<Record<string, string>> => {
  if (code === "TRANSACTION_PENDING") {
    return { location: String(details?.["consultar_en"]), "retry-after": verifyAfter_s }
  }
  if (details?.["retry_after"] !== undefined) return { "retry-after": String(details["retry_after"]) }
  if (code === "IDEMPOTENT_REQUEST_IN_PROGRESS") return { "retry-after": retryKeyAfter_s }
  if (code === "DOCUMENTO_NO_DISPONIBLE") return { "retry-after": retryDocumentAfter_s }
  if (code === "SERVICE_UNAVAILABLE" || status === 503) return { "retry-after": retryServiceAfter_s }
  return status === 401 ? { "www-authenticate": 'Bearer realm="saldo"' } : {}
}

/**
 * The headers of an error response: a link to the page of the error code, and headers for client libraries, such as
 * Retry-After.
 */
export const failureHeaders = (error: HttpError): Readonly<Record<string, string>> => ({
  link: `<${errorPath(error.code)}>; rel="help"`,
  ...actionHeaders(error)
})
