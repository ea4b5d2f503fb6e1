import { Effect, type Schedule } from "effect"

/** Retries what may be repeated until it succeeds; `onDefect` hears of each failure. */
export const retryUntilSuccess =
  (pace: Schedule.Schedule<unknown>, onDefect: (defect: unknown) => Effect.Effect<void>) =>
  <A, R>(work: Effect.Effect<A, never, R>): Effect.Effect<A, never, R> =>
    work.pipe(Effect.catchDefect(Effect.fail), Effect.tapError(onDefect), Effect.retry(pace), Effect.orDie)
