import { Data, Duration, Effect, Exit, Option, Semaphore } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, type HttpClientResponse } from "effect/http"
import { CircuitBreaker } from "effect/persistence"
import { onMonotonicClock } from "../clock/MonotonicClock.ts"
import { countNotMade, measured } from "./CallMetrics.ts"
import { NotAttempted } from "./NotAttempted.ts"
import { whole } from "./WholeAnswer.ts"

/** Less than the 30 s that a workflow waits. */
const answer_within = Duration.seconds(29)

/** Half of the last twenty calls failed: it is the party, not the call. */
const tripPolicy = CircuitBreaker.rate({ threshold: 0.5, size: 20, minimumCalls: 10 })
const openFor = Duration.seconds(10)

const tooManyRequests = 429
const serverError = 500

/** The party accepted a request and did not answer it. */
class NoAnswer extends Data.TaggedError("NoAnswer")<{ readonly party: string }> {}

export interface GuardOptions {
  /** The party's name, for logs and metrics. */
  readonly party: string
  /** So many calls may be in flight at once. */
  readonly calls_max: number
  /**
   * The party has answered, to the last byte, within this: less than whoever calls it would wait, because a call that
   * is given up says nothing of the party's health.
   */
  readonly answer_max?: Duration.Duration
}

/** What stands between us and a party that may be slow, broken or gone. */
interface Guard {
  /**
   * Makes a client that does not call a party that is failing or overloaded; such a call fails with `NotAttempted`. Its
   * answers have come back whole: until then a call is in flight.
   */
  readonly protect: (client: HttpClient.HttpClient) => HttpClient.HttpClient
  /** Would a call be made now? Asked before anything is reserved; a no counts as a call that was not made. */
  readonly accepts: Effect.Effect<boolean>
}

type Response = HttpClientResponse.HttpClientResponse
type Call = Effect.Effect<Response, HttpClientError.HttpClientError>
type Request = HttpClientRequest.HttpClientRequest

const failedWith = (request: Request, cause: unknown) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })

/** What a call says of the party's health. A definite refusal is a healthy answer. */
const classify = (exit: Exit.Exit<Response, unknown>): CircuitBreaker.Outcome =>
  Exit.isSuccess(exit) && exit.value.status < serverError && exit.value.status !== tooManyRequests
    ? CircuitBreaker.success
    : CircuitBreaker.failure()

/**
 * A bound on the calls in flight, a circuit breaker, and measurement, around every call to one party. The breaker is
 * this process's own: what one process cannot reach, another may.
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
      // The ids of this service's own traces are nobody else's business.
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

  // An open circuit whose time is over lets the next call through, to see.
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
