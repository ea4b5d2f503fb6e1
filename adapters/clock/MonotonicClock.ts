import { Clock, Effect } from "effect"

/** A clock that reads the monotonic time, which no clock adjustment changes. */
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
 * Runs `waiting` on the monotonic clock, so that setting the wall clock back an hour does not lengthen a wait by an
 * hour. An effect wrapped in `own` keeps the wall clock.
 */
export const onMonotonicClock = <A, E, R>(
  waiting: (own: <B, F, S>(call: Effect.Effect<B, F, S>) => Effect.Effect<B, F, S>) => Effect.Effect<A, E, R>
) =>
  Effect.clockWith((clock) =>
    Effect.provideService(waiting(Effect.provideService(Clock.Clock, clock)), Clock.Clock, monotonic(clock))
  )
