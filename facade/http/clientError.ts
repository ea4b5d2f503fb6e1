import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { Clock, type Context, Effect, Option, Predicate, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { Headers } from "effect/http"
import { type PublicError, toPublic } from "../../core/domain/ErrorCatalogue.ts"
import { Invalid, NotFound } from "../../core/domain/Errors.ts"
import type { CallCounter } from "../../core/ports/CallCounter.ts"
import { spendByAddress } from "../trpc/Gate.ts"
import { accessOf } from "./Access.ts"
import { told } from "./Accessed.ts"
import { type Caller, failureBody, failureHeaders, headersOf } from "./Answer.ts"
import { BatchedResponse } from "./BatchedResponse.ts"
import { HttpOptions } from "./HttpOptions.ts"
import { nothingSaid } from "./Incoming.ts"
import { addressOf } from "./Origin.ts"

const malformed = toPublic(new Invalid({ details: { headers: "invalido" } }))
const unknownPath = toPublic(new NotFound())

/** HTTP itself has statuses that the catalogue does not need: of a request that comes too slowly, or whose head is too large. */
export const unreadStatuses = [408, 431] as const

/** What a client is told whose request no route has. */
interface Unrouted extends Omit<PublicError, "status"> {
  readonly status: PublicError["status"] | (typeof unreadStatuses)[number]
}

/** What a client is told whose request Node's parser could not read. */
const errorOf = (code: string | undefined): Unrouted => {
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

/** Who asks, as far as the head of the request told, if it could be read. */
const callerOf = Effect.fnUntraced(function* (socket: Duplex, request: IncomingMessage | undefined) {
  const random = yield* SecureRandom.SecureRandom
  const remote = Predicate.hasProperty(socket, "remoteAddress") ? socket.remoteAddress : undefined
  const remoteAddress = Option.filter(Option.fromUndefinedOr(remote), Predicate.isString)
  const address = addressOf({ headers: Headers.fromInput(request?.headers), remoteAddress }, yield* HttpOptions)
  const caller: Caller = { address, requestId: yield* random.uuidV7(), reply: nothingSaid() }
  return caller
})

const written = Effect.fnUntraced(function* (caller: Caller, error: Unrouted) {
  const body = failureBody(error, caller.requestId)
  const headers = yield* headersOf(caller, {
    ...failureHeaders(error),
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close"
  })
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...lines, "", body].join("\r\n")
})

/** A request that no route will answer. */
interface Refused {
  readonly error: Unrouted
  /** Its head, when that could be read. */
  readonly request?: IncomingMessage | undefined
  /** How it counts; undefined when a route has already counted it. */
  readonly counted: "address" | "unread" | undefined
}

/** The method of a request whose head could not be read. */
const unread = "{unread}"

// A request that a route has counted is told of by that route.
const answerTo = Effect.fnUntraced(function* (socket: Duplex, { counted, error, request }: Refused) {
  const since_ns = yield* Clock.monotonicTimeNanos
  const caller = yield* callerOf(socket, request)
  if (counted === undefined) return yield* written(caller, error)
  const spent = yield* Effect.result(spendByAddress(caller, counted))
  const due = Result.isFailure(spent) ? toPublic(spent.failure) : error
  const access = { ...accessOf(caller.requestId), code: due.code }
  yield* Effect.annotateLogs(told(access, request?.method ?? unread, { since_ns, status: due.status }), access.about)
  return yield* written(caller, due)
})

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/**
 * What a connection has asked and not been answered yet. In a list: a set that is added to and deleted from leaves tables
 * behind that keep what was in them until all of the heap is collected.
 */
const open = new WeakMap<Duplex, Array<Exchange>>()

const exchangesOf = (socket: Duplex): Array<Exchange> => {
  const known = open.get(socket)
  if (known !== undefined) return known
  const none: Array<Exchange> = []
  open.set(socket, none)
  return none
}

const remember = (request: IncomingMessage, response: ServerResponse): void => {
  const exchanges = exchangesOf(request.socket)
  const exchange = { request, response }
  exchanges.push(exchange)
  response.once("close", () => void exchanges.splice(exchanges.indexOf(exchange), 1))
}

type Refuse = (socket: Duplex, refused: Refused) => void

/**
 * Answers a connection once, and ends it; one that goes on sending is cut off. A request that came whole may be a sale:
 * what follows it must not be answered in its place, and the connection ends with the answer that is due.
 */
const refuser = (services: Context.Context<CallCounter | SecureRandom.SecureRandom>): Refuse => {
  const answered = new WeakSet<Duplex>()
  return (socket, refused) => {
    const whole = exchangesOf(socket).findLast(({ request }) => request.complete)
    if (whole !== undefined) return void whole.response.once("close", () => socket.end())
    if (!socket.writable) return void socket.destroy()
    if (answered.has(socket)) return
    answered.add(socket)
    Effect.runForkWith(services)(
      Effect.matchCauseEffect(answerTo(socket, refused), {
        onSuccess: (answer) => Effect.sync(() => void (socket.writable ? socket.end(answer) : socket.destroy())),
        // Nobody else would end it: Node leaves to its listener whatever it could not read.
        onFailure: (cause) =>
          Effect.andThen(
            Effect.logError("a refusal failed", cause),
            Effect.sync(() => void socket.destroy())
          )
      })
    )
  }
}

const onClientError =
  (refuse: Refuse) =>
  (failure: NodeJS.ErrnoException, socket: Duplex): void => {
    if (failure.code === "ECONNRESET") return void socket.destroy()
    const request = exchangesOf(socket).at(-1)?.request
    refuse(socket, { error: errorOf(failure.code), request, counted: request === undefined ? "unread" : undefined })
  }

/**
 * Lets a server answer in the envelope also what Node would answer, or cut off, by itself: requests that its parser
 * cannot read, tunnels, and expectations that nobody has heard of. The server must be made with `serverOptions`.
 */
export const answeringClientErrors = Effect.map(
  Effect.context<CallCounter | SecureRandom.SecureRandom>(),
  (services) =>
    <S extends Server>(server: S): S => {
      const refuse = refuser(services)
      server.on("request", remember)
      server.on("clientError", onClientError(refuse))
      server.on("connect", (request, socket) => refuse(socket, { error: unknownPath, request, counted: "address" }))
      server.on("checkExpectation", (request, response) => server.emit("request", request, response))
      return server
    }
)

/** A request without Host reaches the routes instead of being refused by Node. */
export const serverOptions = { requireHostHeader: false, ServerResponse: BatchedResponse }
