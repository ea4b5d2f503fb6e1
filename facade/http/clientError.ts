import { type Server, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { SecureRandom } from "effect/crypto"
import { type PublicError, toPublic } from "../../core/domain/ErrorCatalogue.ts"
import { Invalid, NotFound } from "../../core/domain/Errors.ts"
import { everywhere, failureBody } from "./Answer.ts"

const malformed = toPublic(new Invalid({ details: { headers: "invalido" } }))

/** What a client is told whose request Node's parser could not read. */
const errorOf = (code: string | undefined): PublicError => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return { ...malformed, status: 431, details: { headers: "demasiado_grande" } }
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { ...malformed, status: 408, details: { body: "incompleto" } }
    case "HPE_INVALID_METHOD":
      return toPublic(new NotFound())
    default:
      return malformed
  }
}

const answerTo = (error: PublicError): string => {
  const requestId = SecureRandom.uuidV7Unsafe()
  const body = failureBody(error, requestId)
  const headers = {
    ...everywhere,
    "x-request-id": requestId,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close"
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...lines, "", body].join("\r\n")
}

const onClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === "ECONNRESET" || !socket.writable) socket.destroy()
  else socket.end(answerTo(errorOf(error.code)))
}

/**
 * Lets a server answer in the envelope also what Node would answer, or cut off, by itself: requests that its parser
 * cannot read, and expectations that nobody has heard of. The server must be made with `serverOptions`.
 */
export const answerClientErrors = <S extends Server>(server: S): S => {
  server.on("clientError", onClientError)
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  return server
}

/** A request without Host reaches the routes instead of being refused by Node. */
export const serverOptions = { requireHostHeader: false }
