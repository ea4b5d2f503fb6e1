import { DateTime, Duration, Effect } from "effect"

/**
 * What was recorded longer ago may already be in the hands of recovery: a process that was paused must not send it.
 */
const fresh_max = Duration.seconds(10)
const fresh_max_ns = Duration.toNanosUnsafe(fresh_max)
const fresh_max_ms = Duration.toMillis(fresh_max)

/**
 * May what was recorded still be sent? By the monotonic clock, which nobody sets; and by the clock that recovery goes
 * by, which also runs while the machine is suspended.
 *
 * @param since_ns monotonic time just before it was recorded.
 * @param recordedAt the wall clock in its row.
 */
export const isFresh = (since_ns: bigint, recordedAt: DateTime.Utc) =>
  Effect.clockWith((clock) => {
    const passed_ns = clock.monotonicTimeNanosUnsafe() - since_ns
    const age_ms = clock.currentTimeMillisUnsafe() - DateTime.toEpochMillis(recordedAt)
    return Effect.succeed(passed_ns <= fresh_max_ns && age_ms <= fresh_max_ms)
  })
