import { Effect } from "effect"

/** By less than this clocks are put right all the time. */
const slight_ms = 1_000

/**
 * A cached answer expires by the clock of the day: one that was put back by an hour would keep it for as long. So its
 * next use invalidates it first.
 */
export const unlessSetBack = (invalidate: Effect.Effect<void>) => {
  // How far the clock was ahead of the time that nobody sets, when it was last looked at.
  let ahead_ms = Number.NEGATIVE_INFINITY
  return <A, E, R>(cached: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.clockWith((clock) => {
      const before_ms = ahead_ms
      ahead_ms = clock.currentTimeMillisUnsafe() - Number(clock.monotonicTimeNanosUnsafe()) / 1e6
      return ahead_ms < before_ms - slight_ms ? Effect.andThen(invalidate, cached) : cached
    })
}
