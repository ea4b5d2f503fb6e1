import { toPublic } from "../../core/domain/ErrorCatalogue.ts"
import { Invalid, NotFound } from "../../core/domain/Errors.ts"
import { type HttpError, headTooLarge, requestTooSlow } from "../call/HttpError.ts"

const malformed = toPublic(new Invalid({ details: { headers: "invalido" } }))

/** What is told of a path that no route has. */
export const unknownPath = toPublic(new NotFound())

/** What a client is told whose request Node's parser could not read. */
export const errorOf = (code: string | undefined): HttpError => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return headTooLarge
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return requestTooSlow
    case "HPE_INVALID_EOF_STATE":
    case "HPE_INVALID_CHUNK_SIZE":
      return { ...malformed, details: { body: "incompleto" } }
    case "HPE_INVALID_METHOD":
      return unknownPath
    default:
      return malformed
  }
}
