import { Duration, Effect, Schedule } from "effect"
import { logDefect } from "./LogDefect.ts"
import { untilItSucceeds } from "./UntilItSucceeds.ts"

/** A caller waits this long for the database; then the write goes on in the background. */
const patience = Duration.seconds(5)

const soon = Duration.millis(200)

const pace = Schedule.min([Schedule.exponential(soon), Schedule.spaced("5 seconds")])

/**
 * Writes what must not be lost because the database is gone: again and again until it succeeds.
 *
 * @param write may be made again after a failure of which nothing is known; it hears whether the caller has been told.
 * @param impatient tells the caller, once, when the write has taken 5 s; the write goes on.
 */
export const insist = Effect.fnUntraced(function* <A, R>(
  write: (hasTold: boolean) => Effect.Effect<A, never, R>,
  impatient: Effect.Effect<void>,
  about: Readonly<Record<string, unknown>>
) {
  let hasTold = false
  const missed = (defect: unknown) => logDefect("an outcome could not be written yet", defect, about)
  const again = () => untilItSucceeds(pace, missed)(Effect.suspend(() => write(hasTold)))
  const tell = Effect.andThen(
    Effect.sync(() => {
      hasTold = true
    }),
    impatient
  )
  const waiting = yield* Effect.forkChild(Effect.andThen(Effect.sleep(patience), tell), { startImmediately: true })
  // Nearly every write succeeds at once: what it takes to go on trying is made when it is needed.
  const written = yield* Effect.catchDefect(write(hasTold), (first) =>
    missed(first).pipe(Effect.andThen(Effect.sleep(soon)), Effect.andThen(Effect.suspend(again)))
  )
  waiting.interruptUnsafe()
  return written
})
