import { Clock, Context, Effect, type Exit, LogLevel, Metric, References } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { seriesOf } from "../../core/telemetry/Series.ts"
import { Access, type AccessShape, accessOf } from "./Access.ts"

const seconds = seriesOf(["method", "path", "status"], (attributes) =>
  Metric.histogram("saldo_http_request_seconds", {
    description: "Time until a request was answered, in seconds, by the template of its path",
    boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    attributes
  })
)

const refusals = seriesOf(["code"], (attributes) =>
  Metric.counter("saldo_refusals_total", {
    description: "Calls that were answered with an error, by its code",
    incremental: true,
    attributes
  })
)

/** Shows refusals that an alarm looks for as none until there are some. */
export const beginCountingRefusals = Effect.forEach(
  ["SERVICE_UNAVAILABLE", "SEGUROS_NO_DISPONIBLE"],
  (code) => Metric.update(refusals({ code }), 0),
  { discard: true }
)

/** What a client is recorded with that hung up before it was answered. */
const hungUp = 499

type Ended = Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>

const statusOf = (exit: Ended): number => (exit._tag === "Success" ? exit.value.status : hungUp)

/** Measures an answer and logs it: at debug level, and as a warning what went wrong on our side. */
export const logAccess = (
  { codes, route }: AccessShape,
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

/** Gives a request its id, and measures and logs how it is answered. */
export const withAccessLog = <R>(
  answer: (
    request: HttpServerRequest.HttpServerRequest
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>
) =>
  Effect.contextWith((services: Context.Context<HttpServerRequest.HttpServerRequest | SecureRandom.SecureRandom>) => {
    const request = Context.get(services, HttpServerRequest.HttpServerRequest)
    const clock = Context.get(services, Clock.Clock)
    return Effect.flatMap(Context.get(services, SecureRandom.SecureRandom).uuidV7(), (requestId) => {
      const access = accessOf(requestId)
      const since_ns = clock.monotonicTimeNanosUnsafe()
      const logged = Effect.onExit(answer(request), (exit) =>
        logAccess(access, request.method, { since_ns, status: statusOf(exit) })
      )
      return Effect.updateContext(logged, (around: Context.Context<Exclude<R, Access>>) => {
        const annotated = Context.add(around, References.CurrentLogAnnotations, access.about)
        return Context.add(annotated, Access, access) as Context.Context<Exclude<R, Access>> as Context.Context<R>
      })
    })
  })
