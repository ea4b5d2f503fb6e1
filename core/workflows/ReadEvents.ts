import { Clock, Duration, Effect, Schedule } from "effect"
import type { CompanyId } from "../domain/Ids.ts"
import { Events, type EventsWanted } from "../ports/Events.ts"

/** Interval at which a waiting call looks for new events. */
const lookEvery = Duration.millis(500)

/**
 * The events of a company, oldest first. If there are no events, waits for the first event.
 *
 * @param wait how long to wait. The result is empty if no event was written in this time.
 */
export const readEvents = Effect.fn("ReadEvents.readEvents")(function* (
  companyId: CompanyId,
  wanted: EventsWanted,
  wait: Duration.Duration
) {
  const events = yield* Events
  // Uses the monotonic clock, because a caller would wait longer if the wall clock were set back.
  const until_ns = (yield* Clock.monotonicTimeNanos) + Duration.toNanosUnsafe(wait)
  const isOver = Effect.map(Clock.monotonicTimeNanos, (now_ns) => now_ns >= until_ns)
  let { after } = wanted
  const look = Effect.gen(function* () {
    const read = yield* events.list(companyId, { ...wanted, after })
    // The next look begins after the events of other types, so that it does not read them again.
    after = read.next
    return read
  })
  return yield* Effect.repeat(look, {
    schedule: Schedule.spaced(lookEvery),
    until: (read) => (read.events.length > 0 ? Effect.succeed(true) : isOver)
  })
})
