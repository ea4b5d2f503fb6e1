import { Duration, Effect, Exit, Metric } from "effect"
import type { HttpClientError, HttpClientResponse } from "effect/http"

const calls = Metric.counter("saldo_party_calls_total", {
  description: "Calls to outside parties, by party and outcome",
  incremental: true
})

const seconds = Metric.histogram("saldo_party_call_seconds", {
  description: "Time until an outside party began to answer, in seconds",
  boundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30]
})

type Ended = Exit.Exit<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

/** The class of the status, or that there was no answer. */
const outcomeOf = (exit: Ended): string =>
  Exit.isSuccess(exit) ? `${Math.floor(exit.value.status / 100)}xx` : "no_answer"

/** Counts a call to a party, and how long it took until the answer began. */
export const measured =
  (party: string) =>
  <R>(
    call: Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError, R>
  ): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError, R> =>
    Effect.timed(Effect.exit(call)).pipe(
      Effect.tap(([took, exit]) =>
        Effect.andThen(
          Metric.update(Metric.withAttributes(calls, { party, outcome: outcomeOf(exit) }), 1),
          Metric.update(Metric.withAttributes(seconds, { party }), Duration.toSeconds(took))
        )
      ),
      Effect.flatMap(([, exit]) => exit)
    )
