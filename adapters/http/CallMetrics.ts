import { Duration, Effect, Exit, Metric } from "effect"
import type { HttpClientError, HttpClientResponse } from "effect/http"
import { seriesOf } from "../../core/telemetry/Series.ts"
import { spanWhenTraced } from "../../core/telemetry/SpanWhenTraced.ts"

const calls = seriesOf(["party", "outcome"], (attributes) =>
  Metric.counter("saldo_party_calls_total", {
    description: "Calls to external services, by service and outcome",
    incremental: true,
    attributes
  })
)

const seconds = seriesOf(["party"], (attributes) =>
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
export const countNotMade = (party: string): Effect.Effect<void> =>
  Metric.update(calls({ party, outcome: "not_made" }), 1)

/** Counts a call to an external service, records its duration, and adds a span if the call is traced. */
export const measured =
  (party: string) =>
  <R>(
    call: Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError, R>
  ): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError, R> =>
    Effect.timed(Effect.exit(call)).pipe(
      Effect.tap(([took, exit]) =>
        Effect.andThen(
          Metric.update(calls({ party, outcome: outcomeOf(exit) }), 1),
          Metric.update(seconds({ party }), Duration.toSeconds(took))
        )
      ),
      Effect.flatMap(([, exit]) => exit),
      // The span omits the URL, which may contain a customer's number.
      spanWhenTraced(`call ${party}`)
    )
