import { Effect, type Schedule } from "effect"

/** Retries idempotent work until it succeeds. Calls `onDefect` for each failure. */
export const retryUntilSuccess =
  (pace: Schedule.Schedule<unknown>, onDefect: (defect: unknown) => Effect.Effect<void>) =>
  <A, R>(work: Effect.Effect<A, never, R>): Effect.Effect<A, never, R> =>
    work.pipe(Effect.catchDefect(Effect.fail), Effect.tapError(onDefect), Effect.retry(pace), Effect.orDie)
