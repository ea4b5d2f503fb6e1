import { Duration, Effect, Schedule } from "effect"
import { untilItSucceeds } from "./UntilItSucceeds.ts"

/** A caller waits this long for the database; then the write goes on in the background. */
const patience = Duration.seconds(5)

const soon = Duration.millis(200)

const pace = Schedule.min([Schedule.exponential(soon), Schedule.spaced("5 seconds")])

/**
 * Writes what must not be lost because the database is gone: again and again until it succeeds.
 *
 * @param write may be made again after a failure of which nothing is known.
 * @param impatient done once, when the write has taken 5 s; the write goes on.
 */
export const insist = Effect.fnUntraced(function* <A, R>(
  write: Effect.Effect<A, never, R>,
  impatient: Effect.Effect<void>,
  about: Readonly<Record<string, unknown>>
) {
  const missed = (cause: unknown) => Effect.logError("an outcome could not be written yet", { ...about, cause })
  const again = () => untilItSucceeds(pace, missed)(write)
  const waiting = yield* Effect.forkChild(Effect.andThen(Effect.sleep(patience), impatient), { startImmediately: true })
  // Nearly every write succeeds at once: what it takes to go on trying is made when it is needed.
  const written = yield* Effect.catchDefect(write, (first) =>
    missed(first).pipe(Effect.andThen(Effect.sleep(soon)), Effect.andThen(Effect.suspend(again)))
  )
  waiting.interruptUnsafe()
  return written
})
