import { Clock, DateTime, Duration, Effect } from "effect"

/** How long after its reservation a sale may still be sent. Later, recovery may already have settled it. */
const sendDeadline = Duration.seconds(10)

/**
 * Whether a recorded operation may still be sent. The monotonic clock cannot be set, but may stop while the machine is
 * suspended. The wall clock is the one that recovery uses. Both must be within the deadline.
 *
 * @param since_ns monotonic time just before the operation was recorded.
 * @param recordedAt wall-clock time in its row.
 */
export const isBeforeSendDeadline = Effect.fnUntraced(function* (since_ns: bigint, recordedAt: DateTime.Utc) {
  const passed = Duration.nanos((yield* Clock.monotonicTimeNanos) - since_ns)
  const age_ms = (yield* Clock.currentTimeMillis) - DateTime.toEpochMillis(recordedAt)
  return Duration.isLessThanOrEqualTo(passed, sendDeadline) && age_ms <= Duration.toMillis(sendDeadline)
})
