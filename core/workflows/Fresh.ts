import { Clock, Duration, Effect } from "effect"

/**
 * What was recorded longer ago may already be in the hands of recovery: a process that was paused must not send it.
 */
const fresh_max = Duration.seconds(10)

/** May what was recorded at `since_ns` of the monotonic clock, or later, still be sent? */
export const isFresh = (since_ns: bigint) =>
  Effect.map(Clock.monotonicTimeNanos, (now_ns) =>
    Duration.isLessThanOrEqualTo(Duration.nanos(now_ns - since_ns), fresh_max)
  )
