import { join } from "node:path"
import { Clock, Duration, Effect } from "effect"
import { makeSharedClock } from "../time/SharedClock.ts"
import { timeFile } from "../time/TimeFile.ts"

/** The time of all processes of a run. */
export interface Time {
  readonly file: string
  readonly jump: (duration: Duration.Input) => Effect.Effect<void>
  /** Does something as the other processes would. */
  readonly on: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const makeTime = Effect.fnUntraced(function* (directory: string) {
  const file = join(directory, "time")
  const write = yield* timeFile(file)
  const clock = makeSharedClock(file)
  let ahead_ms = 0
  return {
    file,
    jump: (duration) =>
      Effect.sync(() => {
        ahead_ms += Duration.toMillis(duration)
        write(ahead_ms)
      }),
    on: Effect.provideService(Clock.Clock, clock)
  } satisfies Time
})
