import { Effect } from "effect"

/** Adjustments of less than this are routine (NTP) and are ignored. */
const slight_ms = 1_000

/**
 * Wraps reads of a cache. Invalidates the cache before the first read after the wall clock was set back. Cached values
 * expire by the wall clock: without this they would live longer by the amount of the change.
 */
export const unlessSetBack = (invalidate: Effect.Effect<void>) => {
  // How far the wall clock was ahead of the monotonic clock at the last read.
  let ahead_ms = Number.NEGATIVE_INFINITY
  return <A, E, R>(cached: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.clockWith((clock) => {
      const before_ms = ahead_ms
      ahead_ms = clock.currentTimeMillisUnsafe() - Number(clock.monotonicTimeNanosUnsafe()) / 1e6
      return ahead_ms < before_ms - slight_ms ? Effect.andThen(invalidate, cached) : cached
    })
}
