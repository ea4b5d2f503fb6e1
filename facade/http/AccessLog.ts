import { Clock, Context, Effect, type Exit, LogLevel, Metric, References } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { seriesOf } from "../../core/telemetry/Metrics.ts"
import { newLogEntry, RequestLog, type RequestLogEntry } from "../api/Call.ts"

const seconds = seriesOf(["method", "path", "status"], (attributes) =>
  Metric.histogram("saldo_http_request_seconds", {
    description: "Duration of a request in seconds, by method, path template and status",
    boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    attributes
  })
)

const refusals = seriesOf(["code"], (attributes) =>
  Metric.counter("saldo_refusals_total", {
    description: "Calls answered with an error, by error code",
    incremental: true,
    attributes
  })
)

/** Sets the counters that an alert reads to zero at the start, so that the first refusal appears as an increase. */
export const beginCountingRefusals = Effect.forEach(
  ["SERVICE_UNAVAILABLE", "SEGUROS_NO_DISPONIBLE"],
  (code) => Metric.update(refusals({ code }), 0),
  { discard: true }
)

/** The status in logs and metrics if the client closed the connection before the response. */
const hungUp = 499

type Response = HttpServerResponse.HttpServerResponse

const statusOf = (exit: Exit.Exit<Response, unknown>): number => (exit._tag === "Success" ? exit.value.status : hungUp)

/**
 * Records the metrics of a request and logs it. The log level is warning if the status is 500 or higher, otherwise
 * debug.
 */
export const logRequest = (
  { codes, route }: RequestLogEntry,
  method: string,
  { since_ns, status }: { readonly since_ns: bigint; readonly status: number }
) =>
  Effect.contextWith((services: Context.Context<never>) => {
    const duration_ms = Number(Context.get(services, Clock.Clock).monotonicTimeNanosUnsafe() - since_ns) / 1e6
    seconds({ method, path: route, status: String(status) }).updateUnsafe(duration_ms / 1000, services)
    for (const code of codes) refusals({ code }).updateUnsafe(1, services)
    const level = status >= 500 ? "Warn" : "Debug"
    if (LogLevel.isGreaterThan(Context.get(services, References.MinimumLogLevel), level)) return Effect.void
    const line = { method, path: route, status, code: codes[0] ?? null, duration_ms }
    return Effect.logWithLevel(level)("answered", line)
  })

/** Gives a request its id, produces its response, and logs it. */
export const withAccessLog = <R>(answer: Effect.Effect<Response, never, R>) =>
  Effect.contextWith((services: Context.Context<HttpServerRequest.HttpServerRequest | SecureRandom.SecureRandom>) => {
    const { method } = Context.get(services, HttpServerRequest.HttpServerRequest)
    const since_ns = Context.get(services, Clock.Clock).monotonicTimeNanosUnsafe()
    return Effect.flatMap(Context.get(services, SecureRandom.SecureRandom).uuidV7(), (requestId) => {
      const entry = newLogEntry(requestId)
      const logged = Effect.onExit(answer, (exit) => logRequest(entry, method, { since_ns, status: statusOf(exit) }))
      // Passes the entry itself, not a copy, because company and xid are added while the request is processed.
      return Effect.updateContext(
        logged,
        (around: Context.Context<Exclude<R, RequestLog>>) =>
          around.pipe(
            Context.add(References.CurrentLogAnnotations, entry.about),
            Context.add(RequestLog, entry)
          ) as unknown as Context.Context<R>
      )
    })
  })

type Route = (request: HttpServerRequest.HttpServerRequest) => string

const recordingRoute = <E, R>(route: Route, handler: Effect.Effect<Response, E, R>) =>
  Effect.contextWith((services: Context.Context<HttpServerRequest.HttpServerRequest | RequestLog>) => {
    Context.get(services, RequestLog).route = route(Context.get(services, HttpServerRequest.HttpServerRequest))
    return handler
  })

// Replaces Effect's own server span. That span would contain the whole URL, including customers' numbers. It would also
// let a caller choose the trace of the request.
const traced = Effect.fnUntraced(function* <E, R>(handler: Effect.Effect<Response, E, R>) {
  const { about, route } = yield* RequestLog
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

/** Wraps handlers so that they record their route in the log entry and, if tracing is on, run in a span. */
export const routed = Effect.map(
  References.TracerEnabled,
  (isTracing) =>
    <E, R>(route: Route, handler: Effect.Effect<Response, E, R>) =>
      recordingRoute<E, R | RequestLog | HttpServerRequest.HttpServerRequest>(
        route,
        isTracing ? traced(handler) : handler
      )
)
