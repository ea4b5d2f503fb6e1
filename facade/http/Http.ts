import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Context, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServer, HttpServerError, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { NotFound } from "../../core/domain/Errors.ts"
import { ensureQuota } from "../api/Gate.ts"
import { endpoints } from "../api/Procedures.ts"
import { beginCountingRefusals, routed, withAccessLog } from "./AccessLog.ts"
import { documentation } from "./Pages.ts"
import { currentCall } from "./Request.ts"
import { rateLimited, respond, respondDefect } from "./Response.ts"
import { serveRest } from "./Rest.ts"
import { serveTrpc, trpcRoute } from "./Trpc.ts"

// Paths must match exactly, including upper and lower case and slashes.
const routerConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  // Node's limit for the head of a request. With this limit, an id of any length reaches its procedure, which validates
  // it.
  maxParamLength: 16_384
}

const pattern = (path: `/${string}`) => path.replace(/\{(\w+)\}/g, ":$1") as `/${string}`

const routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const recorded = yield* routed
    for (const { method, paths, procedure } of endpoints) {
      const handler = recorded(() => procedure.meta.path, serveRest(procedure))
      for (const path of paths) yield* router.add(method, pattern(path), handler)
    }
    for (const { path, handler } of yield* documentation) {
      yield* router.add(
        "GET",
        path,
        recorded(() => path, handler)
      )
    }
    const trpc = recorded(trpcRoute, serveTrpc)
    yield* router.add("GET", "/trpc/*", trpc)
    yield* router.add("POST", "/trpc/*", trpc)
  })
)

// The asterisk allows every other header, because tracing libraries of browsers add their own. Saldo ignores them. The
// names before the asterisk are for browsers that do not know it. The asterisk also never includes Authorization.
const allowedHeaders = [
  ...["Authorization", "X-Api-Key", "X-Api-Secret", "Idempotency-Key", "If-None-Match", "Content-Type"],
  ...["trpc-accept", "x-trpc-source", "traceparent", "tracestate", "baggage", "X-Requested-With"],
  "*"
].join(", ")

const preflightHeaders = {
  "access-control-allow-methods": "GET, HEAD, POST, PATCH, DELETE, OPTIONS",
  "access-control-allow-headers": allowedHeaders,
  "access-control-max-age": "86400"
}

// A preflight request is not counted, because browsers send one before each call.
const preflight = Effect.flatMap(currentCall, (call) =>
  Effect.map(ensureQuota(call), () => respond(call, 204, undefined, preflightHeaders))
)

const unknownPath = rateLimited(() => new NotFound())

const isUnknownPath = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"

// Whether the router would misread the request target. It treats the text after a semicolon as a query, so 1;2 would
// become the id 1. It parses a target with a host as a URL, in which dots and backslashes can lead to other paths. No
// route of the service contains these characters.
const isMisread = (target: string): boolean =>
  /^[^?]*(?:[;#\\]|\/(?:\.|%2e){1,2}(?:[/?]|$))/i.test(target) ||
  /^(?:https?:\/\/[^/?]*)?\/v1\/(?:[^?]*\/)?(?:[/?]|$)/i.test(target)

// Whether the client closed the connection.
const hasHungUp = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some(
    (reason) => Cause.isInterruptReason(reason) && reason.annotations.has(HttpServerError.ClientAbort.key)
  )

const isConnected = (request: HttpServerRequest.HttpServerRequest): boolean =>
  !NodeHttpServerRequest.toIncomingMessage(request).socket.destroyed

/** Responds to a request that matches no route, or to a defect in a route. */
const rescue = (cause: Cause.Cause<unknown>) => {
  if (hasHungUp(cause)) return Effect.interrupt
  const error = Cause.findErrorOption(cause)
  if (Option.isSome(error) && isUnknownPath(error.value)) return unknownPath
  const failed = Effect.flatMap(currentCall, (call) => respondDefect(call, cause))
  if (!Cause.hasInterruptsOnly(cause)) return failed
  // A server that stops interrupts calls. The calls still receive a response, unless their connection was cut.
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    isConnected(request) ? failed : Effect.interrupt
  )
}

const answering = <E, R>(routing: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) => {
  const rescued = Effect.catchCause(routing, rescue)
  return withAccessLog(
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      if (request.method === "OPTIONS") return preflight
      const { url = "" } = NodeHttpServerRequest.toIncomingMessage(request)
      return isMisread(url) ? unknownPath : rescued
    })
  )
}

/**
 * How many services a request may add to the server's services before Effect copies all services. With the default of
 * 8, every request would copy them, which takes 4 µs of a sale.
 */
const maxDepth = 24

const withDeepContext = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(work, (services: Context.Context<R>) =>
    Context.makeUnsafe<R>(new Map(services.mapUnsafe), { maxDepth })
  )

/** Serves REST, tRPC and the documentation through the provided HttpServer. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* beginCountingRefusals
    const routing = yield* HttpRouter.toHttpEffect(routes)
    yield* withDeepContext(HttpServer.serveEffect(answering(routing)))
  }).pipe(Effect.provideService(HttpRouter.RouterConfig, routerConfig))
)
