import { type Clock, DateTime, Effect } from "effect"

// Calls come in groups: within a millisecond it is the same instant, and to make one takes longer than to ask the clock.
let latest = DateTime.makeUnsafe(0)

/** The instant that a clock shows. */
export const instantOf = (clock: Clock.Clock): DateTime.Utc => {
  const epoch_ms = clock.currentTimeMillisUnsafe()
  if (DateTime.toEpochMillis(latest) !== epoch_ms) latest = DateTime.makeUnsafe(epoch_ms)
  return latest
}

/** The same as an effect. */
export const instantNow: Effect.Effect<DateTime.Utc> = Effect.clockWith((clock) => Effect.succeed(instantOf(clock)))
