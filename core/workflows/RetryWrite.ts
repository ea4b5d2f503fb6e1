import { Duration, Effect, Schedule } from "effect"
import { InFlight } from "./InFlight.ts"
import { logDefect } from "./LogDefect.ts"
import { retryUntilSuccess } from "./RetryUntilSuccess.ts"

const soon = Duration.millis(200)

const pace = Schedule.min([Schedule.exponential(soon), Schedule.spaced("5 seconds")])

/**
 * Retries a write until it succeeds. For writes that must survive an unavailable database.
 *
 * @param write idempotent: finds its own earlier commit. Receives whether the caller has been answered.
 * @param onDelay answers the caller once, after 5 s. The write goes on.
 */
export const retryWrite = Effect.fnUntraced(function* <A, R>(
  write: (hasAnswered: boolean) => Effect.Effect<A, never, R>,
  onDelay: Effect.Effect<void>,
  about: Readonly<Record<string, unknown>>
) {
  let hasAnswered = false
  const logFailure = (defect: unknown) => logDefect("an outcome could not be written and is retried", defect, about)
  const again = () => retryUntilSuccess(pace, logFailure)(Effect.suspend(() => write(hasAnswered)))
  const answerCaller = Effect.andThen(
    Effect.sync(() => {
      hasAnswered = true
    }),
    onDelay
  )
  const { whenLate } = yield* InFlight
  const callOff = yield* whenLate(answerCaller)
  // Most writes succeed at once, so the retry schedule is only built after a failure.
  const written = yield* Effect.catchDefect(write(hasAnswered), (first) =>
    logFailure(first).pipe(Effect.andThen(Effect.sleep(soon)), Effect.andThen(Effect.suspend(again)))
  )
  callOff()
  return written
})
