import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Context, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServer, HttpServerError, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { NotFound } from "../../core/domain/Errors.ts"
import { withAccessLog } from "../call/AccessLog.ts"
import { respond, respondDefect } from "../call/Answer.ts"
import { documentPath } from "../call/DocsPaths.ts"
import { etagOf, isKnown } from "../call/Etag.ts"
import { headerOf } from "../call/HeaderValues.ts"
import { HttpOptions } from "../call/HttpOptions.ts"
import { withoutInput } from "../call/Incoming.ts"
import { rateLimited } from "../call/RateLimited.ts"
import { docs } from "../docs/Docs.ts"
import { endpoints, serve } from "../rest/Endpoint.ts"
import { openApiDocument } from "../rest/OpenApi.ts"
import { routed } from "./Routed.ts"
import { serveTrpc, trpcRoute } from "./Trpc.ts"

// The router matches decoded paths as they are: case counts, and so does a slash at the end.
const routerConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  // No head of a request is longer, so every id comes to whoever says what is wrong with it.
  maxParamLength: 16_384
}

const pattern = (path: `/${string}`) => path.replace(/\{(\w+)\}/g, ":$1") as `/${string}`

const preflightHeaders = {
  "access-control-allow-methods": "GET, HEAD, POST, OPTIONS",
  "access-control-allow-headers":
    "Authorization, X-Api-Key, X-Api-Secret, Idempotency-Key, If-None-Match, Content-Type",
  "access-control-max-age": "86400"
}

const preflight = Effect.flatMap(withoutInput, (call) => respond(call, 204, undefined, preflightHeaders))

const unknownPath = rateLimited(() => new NotFound())

const isUnknownPath = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"

// The router takes what follows a semicolon for a query, so 1;2 would be the id 1, and nothing at all for an id. A
// target with its host is read as a URL, where dots and backslashes lead elsewhere. No path of ours has any of these.
const isMisread = (target: string): boolean =>
  /^[^?]*(?:[;#\\]|\/(?:\.|%2e){1,2}(?:[/?]|$))/i.test(target) ||
  /^(?:https?:\/\/[^/?]*)?\/v1\/(?:[^?]*\/)?(?:[/?]|$)/i.test(target)

/**
 * Has the client hung up, who then hears nothing any more? A server that stops cuts off calls that have no end, too.
 */
const hasHungUp = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some(
    (reason) => Cause.isInterruptReason(reason) && reason.annotations.has(HttpServerError.ClientAbort.key)
  )

/** What no route answered, or failed to answer. */
const rescue = (cause: Cause.Cause<unknown>) => {
  if (hasHungUp(cause)) return Effect.interrupt
  const error = Cause.findErrorOption(cause)
  return Option.isSome(error) && isUnknownPath(error.value)
    ? unknownPath
    : Effect.flatMap(withoutInput, (call) => respondDefect(call, cause))
}

const around = <E, R>(answering: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) => {
  const rescued = Effect.catchCause(answering, rescue)
  return withAccessLog((request) => {
    if (request.method === "OPTIONS") return preflight
    const { url = "" } = NodeHttpServerRequest.toIncomingMessage(request)
    return isMisread(url) ? unknownPath : rescued
  })
}

const serveDocument = (document: string, etag: string) =>
  rateLimited(
    Effect.fnUntraced(function* (call) {
      const known = isKnown(headerOf(yield* HttpServerRequest.HttpServerRequest, "if-none-match"), etag)
      return yield* respond(call, known ? 304 : 200, known ? undefined : document, {
        etag,
        "cache-control": "no-cache"
      })
    })
  )

const routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { publicUrl } = yield* HttpOptions
    const noted = yield* routed
    for (const endpoint of endpoints) {
      const handler = noted(() => endpoint.meta.openapi.path, serve(endpoint))
      for (const path of endpoint.paths) yield* router.add(endpoint.meta.openapi.method, pattern(path), handler)
    }
    const document = JSON.stringify(openApiDocument(publicUrl ?? "/"))
    yield* router.add(
      "GET",
      documentPath,
      noted(() => documentPath, serveDocument(document, yield* etagOf(document)))
    )
    for (const { path, handler } of yield* docs)
      yield* router.add(
        "GET",
        path,
        noted(() => path, handler)
      )
    const trpc = noted(trpcRoute, serveTrpc)
    yield* router.add("GET", "/trpc/*", trpc)
    yield* router.add("POST", "/trpc/*", trpc)
  })
)

/**
 * What a request adds to the services is laid over them, this many deep: with the usual eight, all of them would be
 * copied in the middle of each request.
 */
const maxDepth = 24
const overServices = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(work, (services: Context.Context<R>) =>
    Context.makeUnsafe<R>(new Map(services.mapUnsafe), { maxDepth })
  )

/** REST, tRPC and their document, served by whatever HttpServer there is. */
export const layer = HttpRouter.toHttpEffect(routes).pipe(
  Effect.provideService(HttpRouter.RouterConfig, routerConfig),
  Effect.flatMap((answering) => overServices(HttpServer.serveEffect(around(answering)))),
  Layer.effectDiscard
)
