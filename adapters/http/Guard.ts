import { Data, Duration, Effect, Exit, Option, Semaphore } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, type HttpClientResponse } from "effect/http"
import { CircuitBreaker } from "effect/persistence"
import { onMonotonicClock } from "../clock/MonotonicClock.ts"
import { countNotMade, measured } from "./CallMetrics.ts"
import { NotAttempted } from "./NotAttempted.ts"
import { whole } from "./WholeAnswer.ts"

/** Timeout for one call, shorter than the 30 s that a workflow waits. */
const answer_within = Duration.seconds(29)

/**
 * Opens the circuit when half of the last 20 calls failed: then the external service is at fault, not a single request.
 */
const tripPolicy = CircuitBreaker.rate({ threshold: 0.5, size: 20, minimumCalls: 10 })
const openFor = Duration.seconds(10)

const tooManyRequests = 429
const serverError = 500

/** The external service did not answer in time. */
class NoAnswer extends Data.TaggedError("NoAnswer")<{ readonly party: string }> {}

export interface GuardOptions {
  /** The external service's name, for logs and metrics. */
  readonly party: string
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
   * Wraps a client so that it makes no calls while the service is failing or overloaded. Those calls fail with
   * `NotAttempted`. Each response is read completely before the call counts as finished.
   */
  readonly protect: (client: HttpClient.HttpClient) => HttpClient.HttpClient
  /** Whether a call would be made now. Checked before a sale is reserved. A "no" counts as a call not made. */
  readonly accepts: Effect.Effect<boolean>
}

type Response = HttpClientResponse.HttpClientResponse
type Call = Effect.Effect<Response, HttpClientError.HttpClientError>
type Request = HttpClientRequest.HttpClientRequest

const failedWith = (request: Request, cause: unknown) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })

/** Classifies a call for the circuit breaker. A definite refusal counts as a success. */
const classify = (exit: Exit.Exit<Response, unknown>): CircuitBreaker.Outcome =>
  Exit.isSuccess(exit) && exit.value.status < serverError && exit.value.status !== tooManyRequests
    ? CircuitBreaker.success
    : CircuitBreaker.failure()

/**
 * A concurrency limit, a circuit breaker and metrics around all calls to one external service. Each process has its own
 * breaker, because another process may still reach the service.
 */
export const makeGuard = Effect.fn("Guard.makeGuard")(function* ({
  answer_max = answer_within,
  calls_max,
  party
}: GuardOptions) {
  const breaker = yield* CircuitBreaker.make({ tripPolicy, openDuration: openFor })
  const permits = yield* Semaphore.make(calls_max)

  const notMade = (request: Request, why: NotAttempted["why"]) =>
    Effect.andThen(countNotMade(party), Effect.fail(failedWith(request, new NotAttempted({ party, why }))))

  const attempt = (call: Call, request: Request): Call => {
    const timed = Effect.timeoutOrElse(Effect.flatMap(call, whole), {
      duration: answer_max,
      orElse: () => Effect.fail(failedWith(request, new NoAnswer({ party })))
    })
    return onMonotonicClock((own) => breaker.execute(own(measured(party)(timed)), { key: party, classify })).pipe(
      Effect.catchTag("CircuitBreakerError", () => notMade(request, "circuit_open")),
      // External services do not receive our trace ids.
      Effect.provideService(HttpClient.TracerPropagationEnabled, false)
    )
  }

  const protect: Guard["protect"] = HttpClient.transform((call: Call, request) =>
    Effect.flatMap(
      permits.withPermitsIfAvailable(1)(attempt(call, request)),
      Option.match({
        onNone: () => notMade(request, "busy"),
        onSome: (response) => Effect.succeed(response)
      })
    )
  )

  // When its time is over, an open circuit lets the next call through as a test.
  const closed = onMonotonicClock(() => breaker.state(party)).pipe(
    Effect.map((state) => state._tag !== "Open" || Duration.isZero(state.retryAfter)),
    Effect.orElseSucceed(() => true)
  )
  const roomy = Effect.map(permits.withPermitsIfAvailable(1)(Effect.void), Option.isSome)
  const accepts = Effect.flatMap(closed, (whole) => (whole ? roomy : Effect.succeed(false))).pipe(
    Effect.tap((accepted) => (accepted ? Effect.void : countNotMade(party)))
  )

  return { protect, accepts } satisfies Guard
})
