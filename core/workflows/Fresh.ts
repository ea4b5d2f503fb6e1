import { Clock, DateTime, Duration, Effect } from "effect"

/**
 * What was recorded longer ago may already be in the hands of recovery: a process that was paused must not send it.
 */
const fresh_max = Duration.seconds(10)

/**
 * May what was recorded still be sent? By the monotonic clock, which nobody sets; and by the clock that recovery goes
 * by, which also runs while the machine is suspended.
 *
 * @param since_ns monotonic time just before it was recorded.
 * @param recordedAt the wall clock in its row.
 */
export const isFresh = (since_ns: bigint, recordedAt: DateTime.Utc) =>
  Effect.zipWith(
    Clock.monotonicTimeNanos,
    DateTime.now,
    (now_ns, now) =>
      Duration.isLessThanOrEqualTo(Duration.nanos(now_ns - since_ns), fresh_max) &&
      Duration.isLessThanOrEqualTo(DateTime.distance(recordedAt, now), fresh_max)
  )
