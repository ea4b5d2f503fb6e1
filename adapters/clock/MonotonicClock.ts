import { Clock, Effect } from "effect"

/** A clock whose time is the monotonic one, which nobody sets. */
const monotonic = (clock: Clock.Clock): Clock.Clock => {
  const currentTimeMillisUnsafe = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
  return {
    currentTimeMillisUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
    currentTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    currentTimeNanos: clock.monotonicTimeNanos,
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

/**
 * Lets what waits for a time to pass go by the monotonic clock: one that is put back by an hour would make it wait for
 * as long. What is wrapped in `own` has the clock of the day as before.
 */
export const onMonotonicClock = <A, E, R>(
  waiting: (own: <B, F, S>(call: Effect.Effect<B, F, S>) => Effect.Effect<B, F, S>) => Effect.Effect<A, E, R>
) =>
  Effect.clockWith((clock) =>
    Effect.provideService(waiting(Effect.provideService(Clock.Clock, clock)), Clock.Clock, monotonic(clock))
  )
