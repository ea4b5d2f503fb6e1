import { Cause, Duration, Effect, Fiber, Schedule } from "effect"

/**
 * Logs a defect as a cause, so that only its stack is logged. A database error logged as a value would print the
 * refused row, which contains the customer's number.
 */
export const logDefect = (message: string, broken: unknown, about: Readonly<Record<string, unknown>> = {}) =>
  Effect.logError(message, about, Cause.isCause(broken) ? broken : Cause.die(broken))

/** Retries idempotent work until it succeeds. Calls `onDefect` for each failure. */
export const retryUntilSuccess =
  (pace: Schedule.Schedule<unknown>, onDefect: (defect: unknown) => Effect.Effect<void>) =>
  <A, R>(work: Effect.Effect<A, never, R>): Effect.Effect<A, never, R> =>
    work.pipe(Effect.catchDefect(Effect.fail), Effect.tapError(onDefect), Effect.retry(pace), Effect.orDie)

/** How long a caller waits for a write before it is answered "pending". The write goes on in the background. */
const answerAfter = Duration.seconds(5)

const pace = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")])

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
  const answerCaller = Effect.andThen(
    Effect.sync(() => {
      hasAnswered = true
    }),
    onDelay
  )
  const waiting = yield* Effect.forkChild(Effect.delay(answerCaller, answerAfter))
  const written = yield* retryUntilSuccess(pace, logFailure)(Effect.suspend(() => write(hasAnswered)))
  yield* Fiber.interrupt(waiting)
  return written
})
