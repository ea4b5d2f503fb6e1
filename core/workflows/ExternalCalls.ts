import { Cause, DateTime, Duration, Effect } from "effect"
import type { Environment } from "../domain/Company.ts"
import { InsuranceUnavailable } from "../domain/InsuranceErrors.ts"
import { providerTimeout } from "../domain/Recovery.ts"
import { type Insurer, Insurers } from "../ports/Insurer.ts"
import { redactDefects } from "../telemetry/RedactDefects.ts"

/**
 * Calls an external service. Returns the fallback when the call takes longer than 30 s or the adapter has a defect.
 *
 * @param onDefect logs the defect.
 */
export const withFallback = <A, B, E, E2, R>(
  call: Effect.Effect<A, E, R>,
  fallback: Effect.Effect<B, E2>,
  onDefect: (cause: Cause.Cause<E>) => Effect.Effect<void>
) =>
  call.pipe(
    Effect.timeoutOrElse({ duration: providerTimeout, orElse: () => fallback }),
    // A typed failure is an answer of the external service, so it is passed on.
    Effect.catchCauseIf(
      (cause) => !Cause.hasFails(cause),
      (cause) => Effect.andThen(onDefect(cause as Cause.Cause<E>), fallback)
    )
  )

/**
 * Makes a call to an insurer that moves no money. A timeout or a defect of the adapter counts as "insurer unavailable".
 *
 * @param question name of the call, for the log.
 */
export const askInsurer = <A, E>(
  environment: Environment,
  question: string,
  ask: (insurer: Insurer) => Effect.Effect<A, E>
) =>
  withFallback(
    redactDefects(
      Effect.flatMap(
        Insurers.use((insurers) => insurers.serving(environment)),
        ask
      )
    ),
    Effect.fail(new InsuranceUnavailable()),
    (cause) => Effect.logError("a call to the insurer failed in its adapter", { question }, cause)
  )

/** How long after its reservation a sale may still be sent. After that, recovery may already have settled the sale. */
const sendDeadline_ms = Duration.toMillis(Duration.seconds(10))

/**
 * Whether a recorded operation may still be sent. Checks two clocks, and both must be within the deadline. The
 * monotonic clock cannot be set back, but may stop while the machine is suspended. The wall clock is the clock that
 * recovery uses.
 *
 * @param since_ns monotonic time just before the operation was recorded.
 * @param recordedAt wall-clock time in its row.
 */
export const isBeforeSendDeadline = (since_ns: bigint, recordedAt: DateTime.Utc) =>
  Effect.clockWith((clock) => {
    const passed_ms = Number(clock.monotonicTimeNanosUnsafe() - since_ns) / 1e6
    const age_ms = clock.currentTimeMillisUnsafe() - DateTime.toEpochMillis(recordedAt)
    return Effect.succeed(Math.max(passed_ms, age_ms) <= sendDeadline_ms)
  })
