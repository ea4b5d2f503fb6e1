import { Clock, Data, Duration, Effect, Exit, Metric, Option, Semaphore } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, type HttpClientResponse } from "effect/http"
import { CircuitBreaker } from "effect/persistence"
import type { Environment } from "../../core/domain/Company.ts"
import { seriesOf } from "../../core/telemetry/Metrics.ts"
import { spanWhenTraced } from "../../core/telemetry/Spans.ts"
import { readWhole } from "./WholeResponse.ts"

/** A clock that reads the monotonic time, which no clock adjustment changes. */
const monotonicClock = (clock: Clock.Clock): Clock.Clock => {
  const currentTimeMillisUnsafe = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
  return {
    currentTimeMillisUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
    currentTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    currentTimeNanos: clock.monotonicTimeNanos,
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

/**
 * Runs `waiting` on the monotonic clock, so that setting the wall clock back by an hour does not lengthen a wait by an
 * hour. Effects that `waiting` passes to `own` still see the wall clock.
 */
const onMonotonicClock = <A, E, R>(
  waiting: (own: <B, F, S>(call: Effect.Effect<B, F, S>) => Effect.Effect<B, F, S>) => Effect.Effect<A, E, R>
) =>
  Effect.clockWith((clock) =>
    Effect.provideService(waiting(Effect.provideService(Clock.Clock, clock)), Clock.Clock, monotonicClock(clock))
  )

const callCounter = seriesOf(["party", "outcome"], (attributes) =>
  Metric.counter("saldo_party_calls_total", {
    description: "Calls to external services, by service and outcome",
    incremental: true,
    attributes
  })
)

const callDuration = seriesOf(["party"], (attributes) =>
  Metric.histogram("saldo_party_call_seconds", {
    description: "Time until the complete response of an external service, in seconds",
    boundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
    attributes
  })
)

type Ended = Exit.Exit<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

/** The class of the HTTP status, or `no_answer`. */
const outcomeOf = (exit: Ended): string =>
  Exit.isSuccess(exit) ? `${Math.floor(exit.value.status / 100)}xx` : "no_answer"

/** Counts a call that this process refused to make. */
const countNotMade = (service: string): Effect.Effect<void> =>
  Metric.update(callCounter({ party: service, outcome: "not_made" }), 1)

/** Counts a call to an external service, records its duration, and adds a span if the call is traced. */
const withCallMetrics =
  (service: string) =>
  <R>(
    call: Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError, R>
  ): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError, R> =>
    Effect.timed(Effect.exit(call)).pipe(
      Effect.tap(([took, exit]) =>
        Effect.andThen(
          Metric.update(callCounter({ party: service, outcome: outcomeOf(exit) }), 1),
          Metric.update(callDuration({ party: service }), Duration.toSeconds(took))
        )
      ),
      Effect.flatMap(([, exit]) => exit),
      // The span omits the URL, which may contain a customer's number.
      spanWhenTraced(`call ${service}`)
    )

/** This process refused to make the call. Nothing was sent. */
export class NotAttempted extends Data.TaggedError("NotAttempted")<{
  readonly service: string
  readonly why: "circuit_open" | "busy"
}> {}

/** Timeout for one call, shorter than the 30 s that a workflow waits. */
const answer_within = Duration.seconds(29)

/** Opens the circuit when half of the last 20 calls failed: the external service is at fault, not a single request. */
const tripPolicy = CircuitBreaker.rate({ threshold: 0.5, size: 20, minimumCalls: 10 })
const openFor = Duration.seconds(10)

const tooManyRequests = 429
const serverError = 500

/** The external service did not answer in time. */
class NoAnswer extends Data.TaggedError("NoAnswer")<{ readonly service: string }> {}

export interface GuardOptions {
  /** The external service's name, for logs and metrics. */
  readonly service: string
  /** Limit of concurrent calls. */
  readonly calls_max: number
  /**
   * Timeout for the complete response. It must be shorter than the caller's own timeout, because an interrupted call
   * does not count as a failure in the circuit breaker.
   */
  readonly answer_max?: Duration.Duration
}

/** Protects this process from an external service that is slow, failing or down. */
interface Guard {
  /**
   * Wraps a client so that it makes no calls while the circuit is open or `calls_max` calls are in progress. Calls at that
   * time fail with `NotAttempted`. Each response is read completely before the call counts as finished.
   */
  readonly protect: (client: HttpClient.HttpClient) => HttpClient.HttpClient
  /**
   * Whether a call to the service would be made now. Workflows check this before they reserve a sale. If no call would be
   * made, the metrics count a call that was not made.
   */
  readonly accepts: Effect.Effect<boolean>
}

type HttpResponse = HttpClientResponse.HttpClientResponse
type GuardedCall = Effect.Effect<HttpResponse, HttpClientError.HttpClientError>
type HttpRequest = HttpClientRequest.HttpClientRequest

const failedWith = (request: HttpRequest, cause: unknown) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })

/**
 * Classifies a call for the circuit breaker. A definite refusal counts as a success, because the external service
 * works.
 */
const classify = (exit: Exit.Exit<HttpResponse, unknown>): CircuitBreaker.Outcome =>
  Exit.isSuccess(exit) && exit.value.status < serverError && exit.value.status !== tooManyRequests
    ? CircuitBreaker.success
    : CircuitBreaker.failure()

/**
 * Puts a concurrency limit, a circuit breaker and metrics around all calls to one external service. Each process has
 * its own breaker, because another process may still reach the service.
 */
export const makeGuard = Effect.fn("Guard.makeGuard")(function* ({
  answer_max = answer_within,
  calls_max,
  service
}: GuardOptions) {
  const breaker = yield* CircuitBreaker.make({ tripPolicy, openDuration: openFor })
  const permits = yield* Semaphore.make(calls_max)

  const notMade = (request: HttpRequest, why: NotAttempted["why"]) =>
    Effect.andThen(countNotMade(service), Effect.fail(failedWith(request, new NotAttempted({ service, why }))))

  const attempt = (call: GuardedCall, request: HttpRequest): GuardedCall => {
    const timed = Effect.timeoutOrElse(Effect.flatMap(call, readWhole), {
      duration: answer_max,
      orElse: () => Effect.fail(failedWith(request, new NoAnswer({ service })))
    })
    return onMonotonicClock((own) =>
      breaker.execute(own(withCallMetrics(service)(timed)), { key: service, classify })
    ).pipe(
      Effect.catchTag("CircuitBreakerError", () => notMade(request, "circuit_open")),
      // External services do not receive our trace ids.
      Effect.provideService(HttpClient.TracerPropagationEnabled, false)
    )
  }

  const protect: Guard["protect"] = HttpClient.transform((call: GuardedCall, request) =>
    Effect.flatMap(
      permits.withPermitsIfAvailable(1)(attempt(call, request)),
      Option.match({
        onNone: () => notMade(request, "busy"),
        onSome: (response) => Effect.succeed(response)
      })
    )
  )

  // After its open time, the circuit breaker accepts the next call to test the service, and no other call during this test.
  const closed = onMonotonicClock(() => breaker.state(service)).pipe(
    Effect.map((state) =>
      state._tag === "HalfOpen" ? !state.probing : state._tag === "Closed" || Duration.isZero(state.retryAfter)
    ),
    Effect.orElseSucceed(() => true)
  )
  const roomy = Effect.map(permits.withPermitsIfAvailable(1)(Effect.void), Option.isSome)
  const accepts = Effect.flatMap(closed, (whole) => (whole ? roomy : Effect.succeed(false))).pipe(
    Effect.tap((accepted) => (accepted ? Effect.void : countNotMade(service)))
  )

  return { protect, accepts } satisfies Guard
})

/** An external service, and whether Saldo would call it now. */
export interface Guarded<Service> {
  readonly service: Service
  readonly accepts: Effect.Effect<boolean>
}

/**
 * Selects the implementation for an environment. Companies in development always use the simulator; companies in
 * production never do.
 *
 * @param production the configured external service. If null, or if it accepts no calls now, companies in production
 * are refused.
 */
export const byEnvironment =
  <Service, E>(simulator: Service, production: Guarded<Service> | null, refusal: () => E) =>
  (environment: Environment): Effect.Effect<Service, E> => {
    if (environment === "development") return Effect.succeed(simulator)
    if (production === null) return Effect.fail(refusal())
    return Effect.flatMap(production.accepts, (accepted) =>
      accepted ? Effect.succeed(production.service) : Effect.fail(refusal())
    )
  }
