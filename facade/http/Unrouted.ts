import { type PublicError, toPublic } from "../../core/domain/ErrorCatalogue.ts"
import { Invalid, NotFound } from "../../core/domain/Errors.ts"
import type { unreadStatuses } from "../call/UnreadStatuses.ts"

const malformed = toPublic(new Invalid({ details: { headers: "invalido" } }))

/** What is told of a path that no route has. */
export const unknownPath = toPublic(new NotFound())

/** What a client is told whose request no route has. */
export interface Unrouted extends Omit<PublicError, "status"> {
  readonly status: PublicError["status"] | (typeof unreadStatuses)[number]
}

/** What a client is told whose request Node's parser could not read. */
export const errorOf = (code: string | undefined): Unrouted => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return { ...malformed, status: 431, details: { headers: "demasiado_grande" } }
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { ...malformed, status: 408, details: { body: "incompleto" } }
    case "HPE_INVALID_EOF_STATE":
    case "HPE_INVALID_CHUNK_SIZE":
      return { ...malformed, details: { body: "incompleto" } }
    case "HPE_INVALID_METHOD":
      return unknownPath
    default:
      return malformed
  }
}
