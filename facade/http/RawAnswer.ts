import { type IncomingMessage, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { Clock, DateTime, Effect, Option, Predicate, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { toPublic } from "../../core/domain/ErrorCatalogue.ts"
import { accessOf } from "../call/Access.ts"
import { logAccess } from "../call/AccessLog.ts"
import { type CountedAs, spendByAddress } from "../call/Allowance.ts"
import { type Caller, failureBody, failureHeaders, headersOf } from "../call/Answer.ts"
import { headerIn } from "../call/HeaderValues.ts"
import type { HttpError } from "../call/HttpError.ts"
import { HttpOptions } from "../call/HttpOptions.ts"
import { emptyReply } from "../call/Incoming.ts"
import { addressOf } from "../call/Origin.ts"

/** Who asks, as far as the head of the request told, if it could be read. */
const callerOf = Effect.fnUntraced(function* (socket: Duplex, request: IncomingMessage | undefined) {
  const random = yield* SecureRandom.SecureRandom
  const remote = Predicate.hasProperty(socket, "remoteAddress") ? socket.remoteAddress : undefined
  const remoteAddress = Option.filter(Option.fromUndefinedOr(remote), Predicate.isString)
  const forwardedFor = request === undefined ? undefined : headerIn(request, "x-forwarded-for")
  const address = addressOf({ remoteAddress, forwardedFor }, yield* HttpOptions)
  const caller: Caller = { address, requestId: yield* random.uuidV7(), reply: emptyReply() }
  return caller
})

const written = Effect.fnUntraced(function* (caller: Caller, error: HttpError) {
  const body = failureBody(error, caller.requestId)
  const headers = yield* headersOf(caller, {
    ...failureHeaders(error),
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    // Node adds it to answers of its own making. RFC 9110, 6.6.1.
    date: DateTime.toDateUtc(yield* DateTime.now).toUTCString(),
    connection: "close"
  })
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...lines, "", body].join("\r\n")
})

/** A request that no route will answer. */
export interface Refused {
  readonly error: HttpError
  /** Its head, when that could be read. */
  readonly request?: IncomingMessage | undefined
  /** How it counts; undefined when a route has already counted it. */
  readonly counted: CountedAs | undefined
}

/** The method of a request whose head could not be read. */
const unread = "{unread}"

/** The answer to it as it goes over the wire. A request that a route has counted is told of by that route. */
export const answerTo = Effect.fnUntraced(function* (socket: Duplex, { counted, error, request }: Refused) {
  const since_ns = yield* Clock.monotonicTimeNanos
  const caller = yield* callerOf(socket, request)
  if (counted === undefined) return yield* written(caller, error)
  const spent = yield* Effect.result(spendByAddress(caller, counted))
  const due = Result.isFailure(spent) ? toPublic(spent.failure) : error
  const access = { ...accessOf(caller.requestId), codes: [due.code] }
  yield* Effect.annotateLogs(
    logAccess(access, request?.method ?? unread, { since_ns, status: due.status }),
    access.about
  )
  return yield* written(caller, due)
})
