import { DateTime, Duration } from "effect"

/** Ages of an operation at which it is attempted again, before the regular interval begins. */
const attemptedAt = [5, 15, 30, 60].map(Duration.seconds)

/** When the next attempt of an operation is due: at the ages above, then at the interval `every`. */
export const nextAttempt =
  (every: Duration.Duration) =>
  (createdAt: DateTime.Utc, now: DateTime.Utc): DateTime.Utc => {
    const age = DateTime.distance(createdAt, now)
    const next = attemptedAt.find((mark) => Duration.isGreaterThan(mark, age))
    return next === undefined ? DateTime.addDuration(now, every) : DateTime.addDuration(createdAt, next)
  }
