import { type IncomingMessage, type Server, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { Clock, type Context, DateTime, Duration, Effect, Option, Predicate, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { toPublic } from "../../core/domain/ErrorCatalogue.ts"
import { Invalid, NotFound } from "../../core/domain/Errors.ts"
import type { CallCounter } from "../../core/ports/CallCounter.ts"
import { emptyReply, HttpOptions, newLogEntry } from "../api/Call.ts"
import {
  failureBody,
  failureHeaders,
  type HttpError,
  headTooLarge,
  requestTooSlow,
  serverBusy
} from "../api/Envelope.ts"
import { type AddressCounter, countByAddress, ensureQuota } from "../api/Gate.ts"
import { logRequest } from "./AccessLog.ts"
import {
  type Certificate,
  createNodeServer,
  openExchanges,
  replaceConnectionListener,
  trackExchanges
} from "./NodeServer.ts"
import { addressOf, headerIn } from "./Request.ts"
import { type Caller, headersOf } from "./Response.ts"

const malformed = toPublic(new Invalid({ details: { headers: "invalido" } }))
const unknownPath = toPublic(new NotFound())

/** The error for a request that Node's parser rejected with this error code. */
const errorOf = (code: string | undefined): HttpError => {
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

/** A request that is refused before it reaches a route, or that loses its connection later. */
interface Refused {
  readonly error: HttpError
  /** The request. Undefined if its head could not be read. */
  readonly request?: IncomingMessage | undefined
  /** The counter for the request. Undefined if the request is not counted, or a route has already counted it. */
  readonly counter?: AddressCounter | undefined
  /** Whether a route has already logged the request. */
  readonly isLogged: boolean
}

const callerOf = Effect.fnUntraced(function* (socket: Duplex, request: IncomingMessage | undefined) {
  const random = yield* SecureRandom.SecureRandom
  const remote = Predicate.hasProperty(socket, "remoteAddress") ? socket.remoteAddress : undefined
  const remoteAddress = Option.filter(Option.fromUndefinedOr(remote), Predicate.isString)
  const forwardedFor = request === undefined ? undefined : headerIn(request, "x-forwarded-for")
  const address = addressOf({ remoteAddress, forwardedFor }, yield* HttpOptions)
  const caller: Caller = { address, requestId: yield* random.uuidV7(), reply: emptyReply() }
  return caller
})

/** An error response as text for the socket, because Node has no response object for a request that it rejected. */
const rawResponse = Effect.fnUntraced(function* (caller: Caller, error: HttpError) {
  yield* ensureQuota(caller)
  const body = failureBody(error, caller.requestId)
  const headers = headersOf(caller, {
    ...failureHeaders(error),
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    // A response must have a date (RFC 9110, 6.6.1). Node adds the date only to its own response objects.
    date: DateTime.toDateUtc(yield* DateTime.now).toUTCString(),
    connection: "close"
  })
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...lines, "", body].join("\r\n")
})

/** The method in the log if the head of the request could not be read. */
const unreadMethod = "{unread}"

/** Makes the response to a refused request. Counts and logs the request, unless its route has already done so. */
const responseTo = Effect.fnUntraced(function* (socket: Duplex, { counter, error, isLogged, request }: Refused) {
  const since_ns = yield* Clock.monotonicTimeNanos
  const caller = yield* callerOf(socket, request)
  if (isLogged) return yield* rawResponse(caller, error)
  const counted = yield* Effect.result(counter === undefined ? Effect.void : countByAddress(caller, counter))
  const shown = Result.isFailure(counted) ? toPublic(counted.failure) : error
  const entry = { ...newLogEntry(caller.requestId), codes: [shown.code] }
  const { status } = shown
  yield* Effect.annotateLogs(logRequest(entry, request?.method ?? unreadMethod, { since_ns, status }), entry.about)
  return yield* rawResponse(caller, shown)
})

/** How long a client may keep its connection open after the server has ended it. */
const close_max = Duration.seconds(2)

/**
 * Ends a connection, with a last response if given. Destroys the connection if the client does not close it in time.
 */
const close = (socket: Duplex, response?: string) =>
  Effect.callback<void>((resume) => {
    if (!socket.writable) return resume(Effect.void)
    socket.once("close", () => resume(Effect.void))
    socket.end(response)
  }).pipe(Effect.timeoutOption(close_max), Effect.ensuring(Effect.sync(() => void socket.destroy())))

type Refuse = (socket: Duplex, refused: Refused) => void

/**
 * Refuses a request and ends its connection. Does this only once for each connection.
 *
 * A complete earlier request on the connection, perhaps a sale, may still wait for its response. In that case its
 * response is sent as the last one. The refusal is not sent, because the client would take it for the response to the sale.
 */
const refuser = (services: Context.Context<CallCounter | SecureRandom.SecureRandom>): Refuse => {
  const run = Effect.runForkWith(services)
  const ending = new WeakSet<Duplex>()
  return (socket, refused) => {
    const complete = openExchanges(socket).findLast(({ request }) => request.complete)
    if (complete === undefined && !socket.writable) return void socket.destroy()
    if (ending.has(socket)) return
    ending.add(socket)
    if (complete !== undefined) return void complete.response.once("close", () => run(close(socket)))
    run(
      Effect.matchCauseEffect(responseTo(socket, refused), {
        onSuccess: (response) => close(socket, response),
        // Node does not close the connection of a rejected request. This listener must close it.
        onFailure: (cause) =>
          Effect.andThen(
            Effect.logError("the response to a refused request could not be sent", cause),
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
    const request = openExchanges(socket).at(-1)?.request
    const error = errorOf(failure.code)
    refuse(
      socket,
      request === undefined ? { error, counter: "unread", isLogged: false } : { error, request, isLogged: true }
    )
  }

/**
 * Refuses CONNECT. Node stops watching the connection of a CONNECT request, so this code detects when the connection
 * ends.
 */
const onConnect =
  (refuse: Refuse) =>
  (request: IncomingMessage, socket: Duplex): void => {
    // Without a listener, an error of the socket would end the process.
    socket.on("error", () => void socket.destroy())
    socket.on("data", () => {
      if (socket.writableFinished) socket.destroy()
    })
    refuse(socket, { error: unknownPath, request, counter: "address", isLogged: false })
  }

/**
 * Maximum number of connections beyond the limit that wait for their refusal. Node closes further connections without a
 * response.
 */
const refusals_max = 100

/**
 * Refuses each connection beyond the limit without reading its request. Responds when the first bytes arrive, because a
 * client may not expect a response before it has sent something.
 */
const limitConnections = (server: Server, connections_max: number, refuse: Refuse): void => {
  let accepted = 0
  server.maxConnections = connections_max + refusals_max
  replaceConnectionListener(server, (socket, serve) => {
    if (accepted < connections_max) {
      accepted++
      socket.once("close", () => accepted--)
      return serve()
    }
    socket.on("error", () => void socket.destroy())
    socket.setTimeout(Duration.toMillis(close_max), () => void socket.destroy())
    // Discards the request. Unread data would reset the connection, and the client would lose the response.
    socket.resume().once("data", () => refuse(socket, { error: serverBusy, isLogged: false }))
  })
}

interface ServerOptions {
  /** How many connections may be open. */
  readonly connections_max: number
  readonly certificate?: Certificate | undefined
}

/**
 * Makes a Node server that sends Saldo's error envelope where Node would send its own response or cut the connection.
 * These cases are requests that Node's parser rejects, requests without Host, CONNECT, unknown values of Expect, and
 * too many connections.
 */
export const makeServer = Effect.map(
  Effect.context<CallCounter | SecureRandom.SecureRandom>(),
  (services) =>
    ({ certificate, connections_max }: ServerOptions): Server => {
      const refuse = refuser(services)
      const server = createNodeServer({ requireHostHeader: false }, certificate)
      limitConnections(server, connections_max, refuse)
      server.on("clientError", onClientError(refuse))
      server.on("connect", onConnect(refuse))
      server.on("checkExpectation", (request, response) => server.emit("request", request, response))
      return trackExchanges(server)
    }
)
