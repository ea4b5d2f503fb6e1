import { Duration, Effect, Schedule } from "effect"
import { InFlight } from "./InFlight.ts"
import { logDefect } from "./LogDefect.ts"
import { retryUntilSuccess } from "./RetryUntilSuccess.ts"

const soon = Duration.millis(200)

const pace = Schedule.min([Schedule.exponential(soon), Schedule.spaced("5 seconds")])

/**
 * Writes what must not be lost while the database is gone: retries until it succeeds.
 *
 * @param write finds its own earlier commit, so it may be repeated; it hears whether the caller has been answered.
 * @param onDelay answers the caller, once, when the write has taken 5 s; the write goes on.
 */
export const retryWrite = Effect.fnUntraced(function* <A, R>(
  write: (hasAnswered: boolean) => Effect.Effect<A, never, R>,
  onDelay: Effect.Effect<void>,
  about: Readonly<Record<string, unknown>>
) {
  let hasAnswered = false
  const logFailure = (defect: unknown) => logDefect("an outcome could not be written yet", defect, about)
  const again = () => retryUntilSuccess(pace, logFailure)(Effect.suspend(() => write(hasAnswered)))
  const answerCaller = Effect.andThen(
    Effect.sync(() => {
      hasAnswered = true
    }),
    onDelay
  )
  const { whenLate } = yield* InFlight
  const callOff = yield* whenLate(answerCaller)
  // Nearly every write succeeds at once, so the retries are built only when one fails.
  const written = yield* Effect.catchDefect(write(hasAnswered), (first) =>
    logFailure(first).pipe(Effect.andThen(Effect.sleep(soon)), Effect.andThen(Effect.suspend(again)))
  )
  callOff()
  return written
})
