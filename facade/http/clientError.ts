import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { SecureRandom } from "effect/crypto"
import { type PublicError, toPublic } from "../../core/domain/ErrorCatalogue.ts"
import { Invalid, NotFound } from "../../core/domain/Errors.ts"
import { everywhere, failureBody, failureHeaders } from "./Answer.ts"

const malformed = toPublic(new Invalid({ details: { headers: "invalido" } }))

/** What a client is told whose request Node's parser could not read. */
const errorOf = (code: string | undefined): PublicError => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return { ...malformed, status: 431, details: { headers: "demasiado_grande" } }
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { ...malformed, status: 408, details: { body: "incompleto" } }
    case "HPE_INVALID_EOF_STATE":
    case "HPE_INVALID_CHUNK_SIZE":
      return { ...malformed, details: { body: "incompleto" } }
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
    ...failureHeaders(error),
    "x-request-id": requestId,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close"
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...lines, "", body].join("\r\n")
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** What a connection has asked and not been answered yet. */
const open = new WeakMap<Duplex, Set<Exchange>>()

const remember = (request: IncomingMessage, response: ServerResponse): void => {
  const exchanges = open.get(request.socket) ?? new Set()
  open.set(request.socket, exchanges)
  const exchange = { request, response }
  exchanges.add(exchange)
  response.once("close", () => exchanges.delete(exchange))
}

const say = (socket: Duplex, error: PublicError): void => {
  if (socket.writable) socket.end(answerTo(error))
  else socket.destroy()
}

// A request that came whole may be a sale. What follows it on the connection must not be answered in its place: the
// connection ends with the answer that is due.
const onClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  const whole = [...(open.get(socket) ?? [])].filter(({ request }) => request.complete).at(-1)
  if (error.code === "ECONNRESET") socket.destroy()
  else if (whole === undefined) say(socket, errorOf(error.code))
  else whole.response.once("close", () => socket.end())
}

/**
 * Lets a server answer in the envelope also what Node would answer, or cut off, by itself: requests that its parser
 * cannot read, tunnels, and expectations that nobody has heard of. The server must be made with `serverOptions`.
 */
export const answerClientErrors = <S extends Server>(server: S): S => {
  server.on("request", remember)
  server.on("clientError", onClientError)
  server.on("connect", (_request, socket) => say(socket, toPublic(new NotFound())))
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  return server
}

/** A request without Host reaches the routes instead of being refused by Node. */
export const serverOptions = { requireHostHeader: false }
