import { closeSync, openSync, readSync, writeSync } from "node:fs"
import { Clock, Duration, Effect, Layer } from "effect"
import { makeClock } from "../../support/Clocks.ts"

const bytes_max = 8

/**
 * Reads the offset of the run's time from a file. A process that was stopped during a time jump therefore sees the new
 * time immediately.
 */
const readingTimeFile = (path: string): (() => number) => {
  const file = openSync(path, "r")
  const bytes = Buffer.alloc(bytes_max)
  return () => {
    readSync(file, bytes, 0, bytes_max, 0)
    return bytes.readDoubleLE()
  }
}

/** Creates the file with offset zero, and returns a function that writes the offset. */
export const timeFile = (path: string) =>
  Effect.acquireRelease(
    Effect.sync(() => openSync(path, "w")),
    (file) => Effect.sync(() => closeSync(file))
  ).pipe(
    Effect.map((file) => (ahead_ms: number) => {
      const bytes = Buffer.alloc(bytes_max)
      bytes.writeDoubleLE(ahead_ms)
      writeSync(file, bytes, 0, bytes_max, 0)
    }),
    Effect.tap((write) => Effect.sync(() => write(0)))
  )

/** Interval at which a process checks for a jump. */
const look_ms = 10

/** Longest delay of a Node timer. */
const timer_max_ms = 2 ** 31 - 1

interface Sleeper {
  readonly until_ms: number
  readonly wake: () => void
  timer: NodeJS.Timeout | undefined
}

/**
 * Clock of every process of a run: the machine's clock plus the offset in the file.
 *
 * A jump wakes every sleeper whose time has passed, as after a suspension of the machine. A process that was stopped
 * during the jump notices it at its next check.
 */
export const makeSharedClock = (path: string): Clock.Clock => {
  const ahead_ms = readingTimeFile(path)
  const elapsed_ms = () => performance.now() + ahead_ms()
  const sleepers = new Set<Sleeper>()
  let known_ms = ahead_ms()

  const settle = (sleeper: Sleeper) => {
    clearTimeout(sleeper.timer)
    const left_ms = sleeper.until_ms - elapsed_ms()
    if (left_ms > 0) {
      sleeper.timer = setTimeout(() => settle(sleeper), Math.min(left_ms, timer_max_ms))
    } else if (sleepers.delete(sleeper)) {
      sleeper.wake()
    }
  }
  const look = () => {
    const ahead = ahead_ms()
    if (ahead === known_ms) return
    known_ms = ahead
    for (const sleeper of [...sleepers]) settle(sleeper)
  }
  setInterval(look, look_ms).unref()

  return makeClock({
    wall_ms: () => Date.now() + Math.floor(ahead_ms()),
    monotonic_ns: () => BigInt(Math.floor(elapsed_ms() * 1_000)) * 1_000n,
    sleep: (duration) =>
      Effect.callback((resume) => {
        const until_ms = elapsed_ms() + Duration.toMillis(duration)
        const sleeper: Sleeper = { until_ms, wake: () => resume(Effect.void), timer: undefined }
        sleepers.add(sleeper)
        settle(sleeper)
        return Effect.sync(() => {
          clearTimeout(sleeper.timer)
          sleepers.delete(sleeper)
        })
      })
  })
}

export const layer = (path: string) => Layer.sync(Clock.Clock, () => makeSharedClock(path))
