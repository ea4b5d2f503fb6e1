import { DateTime, Duration } from "effect"

/** The ages at which what did not succeed is attempted again, before its attempts become regular. */
const attemptedAt = [5, 15, 30, 60].map(Duration.seconds)

/**
 * When the next attempt is due of what was first attempted at `createdAt`: soon at first, in the end every so often.
 */
export const nextAttempt =
  (every: Duration.Duration) =>
  (createdAt: DateTime.Utc, now: DateTime.Utc): DateTime.Utc => {
    const age = DateTime.distance(createdAt, now)
    const next = attemptedAt.find((mark) => Duration.isGreaterThan(mark, age))
    return next === undefined ? DateTime.addDuration(now, every) : DateTime.addDuration(createdAt, next)
  }
