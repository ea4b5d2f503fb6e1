import { join } from "node:path"
import { Clock, Duration, Effect, Semaphore } from "effect"
import { makeSharedClock } from "../time/SharedClock.ts"
import { timeFile } from "../time/TimeFile.ts"

/** More than is ever done at once. */
const still_max = 100

/** The time of all processes of a run. */
export interface Time {
  readonly file: string
  /** Waits for whatever time may not jump over. */
  readonly jump: (duration: Duration.Input) => Effect.Effect<void>
  /** Time does not jump while this is done. */
  readonly still: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Does something as the other processes would. */
  readonly on: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const makeTime = Effect.fnUntraced(function* (directory: string) {
  const file = join(directory, "time")
  const write = yield* timeFile(file)
  const clock = makeSharedClock(file)
  const stillness = yield* Semaphore.make(still_max)
  let ahead_ms = 0
  return {
    file,
    jump: (duration) =>
      Effect.sync(() => {
        ahead_ms += Duration.toMillis(duration)
        write(ahead_ms)
      }).pipe(stillness.withPermits(still_max)),
    still: stillness.withPermits(1),
    on: Effect.provideService(Clock.Clock, clock)
  } satisfies Time
})
