import { Clock, Effect, type Exit, Metric, References } from "effect"
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
  Effect.flatMap(Clock.monotonicTimeNanos, (now_ns) => {
    const duration_ms = Number(now_ns - since_ns) / 1e6
    const line = { method, path: route, status, code: codes[0] ?? null, duration_ms }
    const logged = status >= 500 ? Effect.logWarning("answered", line) : Effect.logDebug("answered", line)
    const timed = Metric.update(seconds({ method, path: route, status: String(status) }), duration_ms / 1000)
    const counted = Effect.forEach(codes, (code) => Metric.update(refusals({ code }), 1), { discard: true })
    return timed.pipe(Effect.andThen(counted), Effect.andThen(logged))
  })

/** Gives a request its id, and measures and logs how it is answered. */
export const withAccessLog = Effect.fnUntraced(function* <R>(
  answering: Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>
) {
  const { method } = yield* HttpServerRequest.HttpServerRequest
  const access = accessOf(yield* SecureRandom.SecureRandom.use((random) => random.uuidV7()))
  const since_ns = yield* Clock.monotonicTimeNanos
  return yield* answering.pipe(
    Effect.onExit((exit) => logAccess(access, method, { since_ns, status: statusOf(exit) })),
    Effect.provideService(Access, access),
    Effect.provideService(References.CurrentLogAnnotations, access.about)
  )
})
