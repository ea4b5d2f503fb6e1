import { Cause, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServer, HttpServerError, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { NotFound } from "../../core/domain/Errors.ts"
import { endpoints, serve } from "../rest/Endpoint.ts"
import { openApiDocument } from "../rest/OpenApi.ts"
import { spendByAddress } from "../trpc/Gate.ts"
import { refuse, respond, respondDefect } from "./Answer.ts"
import { etagOf, isKnown } from "./Etag.ts"
import { HttpOptions } from "./HttpOptions.ts"
import { withoutInput } from "./Incoming.ts"
import { serveTrpc } from "./Trpc.ts"

// The router matches decoded paths as they are: case counts, and so does a slash at the end.
const routerConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  maxParamLength: 500
}

const pattern = (path: `/${string}`) => path.replace(/\{(\w+)\}/g, ":$1") as `/${string}`

const preflightHeaders = {
  "access-control-allow-methods": "GET, HEAD, POST, OPTIONS",
  "access-control-allow-headers": "Authorization, X-Api-Key, X-Api-Secret, Idempotency-Key, Content-Type",
  "access-control-max-age": "86400"
}

const preflight = Effect.flatMap(withoutInput, (call) => respond(call, 204, undefined, preflightHeaders))

const unknownPath = Effect.gen(function* () {
  const call = yield* withoutInput
  return yield* spendByAddress(call).pipe(
    Effect.andThen(new NotFound()),
    Effect.catch((error) => refuse(call, error))
  )
})

const isUnknownPath = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"

/** What no route answered, or failed to answer. */
const rescue = (cause: Cause.Cause<unknown>) => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
  const error = Cause.findErrorOption(cause)
  return Option.isSome(error) && isUnknownPath(error.value)
    ? unknownPath
    : Effect.flatMap(withoutInput, (call) => respondDefect(call, cause))
}

const around = <E, R>(routed: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method }) =>
    method === "OPTIONS" ? preflight : Effect.catchCause(routed, rescue)
  )

const serveDocument = (document: string, etag: string) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const call = yield* withoutInput
    const headers = { etag, "cache-control": "no-cache" }
    const known = isKnown(request.headers["if-none-match"], etag)
    return yield* spendByAddress(call).pipe(
      Effect.andThen(respond(call, known ? 304 : 200, known ? undefined : document, headers)),
      Effect.catch((error) => refuse(call, error))
    )
  })

const routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { publicUrl } = yield* HttpOptions
    for (const endpoint of endpoints) {
      const handler = serve(endpoint)
      for (const path of endpoint.paths) yield* router.add(endpoint.meta.openapi.method, pattern(path), handler)
    }
    const document = JSON.stringify(openApiDocument(publicUrl ?? "/"))
    yield* router.add("GET", "/v1/openapi.json", serveDocument(document, yield* etagOf(document)))
    yield* router.add("GET", "/trpc/*", serveTrpc)
    yield* router.add("POST", "/trpc/*", serveTrpc)
  })
)

/** REST, tRPC and their document, served by whatever HttpServer there is. */
export const layer = HttpRouter.toHttpEffect(routes).pipe(
  Effect.provideService(HttpRouter.RouterConfig, routerConfig),
  Effect.map((routed) => HttpServer.serve(around(routed))),
  Layer.unwrap
)
