import { Effect, type Schedule } from "effect"

/** Does what may be done again, until it does not break; what it broke of is told each time. */
export const untilItSucceeds =
  (pace: Schedule.Schedule<unknown>, tell: (defect: unknown) => Effect.Effect<void>) =>
  <A, R>(work: Effect.Effect<A, never, R>): Effect.Effect<A, never, R> =>
    work.pipe(Effect.catchDefect(Effect.fail), Effect.tapError(tell), Effect.retry(pace), Effect.orDie)
