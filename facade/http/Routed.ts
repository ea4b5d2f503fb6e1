import { Context, Effect, References } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { Access } from "../call/Access.ts"

type Handler<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

const recordingRoute = <E, R>(
  route: (request: HttpServerRequest.HttpServerRequest) => string,
  handler: Handler<E, R>
) =>
  Effect.contextWith((services: Context.Context<R | Access | HttpServerRequest.HttpServerRequest>) => {
    Context.get(services, Access).route = route(Context.get(services, HttpServerRequest.HttpServerRequest))
    return handler
  })

// Made here and not by the server, which would write the whole address into it, with the numbers that were asked for,
// and would let a caller say to which trace it belongs.
const traced = Effect.fnUntraced(function* <E, R>(handler: Handler<E, R>) {
  const { about, route } = yield* Access
  const { method } = yield* HttpServerRequest.HttpServerRequest
  const attributes = { "http.request.method": method, "http.route": route }
  return yield* Effect.useSpan(`${method} ${route}`, { attributes, kind: "server", root: true }, (span) =>
    handler.pipe(
      Effect.tap(({ status }) => Effect.sync(() => span.attribute("http.response.status_code", status))),
      Effect.ensuring(
        Effect.sync(() => {
          for (const [name, value] of Object.entries(about)) span.attribute(`saldo.${name}`, value)
        })
      ),
      Effect.withParentSpan(span)
    )
  )
})

/**
 * How the handlers of routes are made to note which route they are and, where somebody follows traces, to begin one.
 */
export const routed = Effect.map(
  References.TracerEnabled,
  (following) =>
    <E, R>(route: (request: HttpServerRequest.HttpServerRequest) => string, handler: Handler<E, R>) =>
      recordingRoute<E, R | Access | HttpServerRequest.HttpServerRequest>(route, following ? traced(handler) : handler)
)
