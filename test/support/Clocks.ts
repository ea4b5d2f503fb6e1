import { type Clock, type Duration, Effect } from "effect"

/** The wall time and the monotonic time of a clock, and its sleep function. */
interface Times {
  readonly wall_ms: () => number
  readonly monotonic_ns: () => bigint
  readonly sleep: (duration: Duration.Duration) => Effect.Effect<void>
}

/** Creates a clock. Its wall clock counts whole milliseconds. */
export const makeClock = ({ monotonic_ns, sleep, wall_ms }: Times): Clock.Clock => {
  const wall_ns = () => BigInt(wall_ms()) * 1_000_000n
  return {
    currentTimeMillisUnsafe: wall_ms,
    currentTimeMillis: Effect.sync(wall_ms),
    currentTimeNanosUnsafe: wall_ns,
    currentTimeNanos: Effect.sync(wall_ns),
    monotonicTimeNanosUnsafe: monotonic_ns,
    monotonicTimeNanos: Effect.sync(monotonic_ns),
    sleep
  }
}
