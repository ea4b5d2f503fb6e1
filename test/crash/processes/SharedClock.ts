import { closeSync, openSync, readSync, writeSync } from "node:fs"
import { Clock, Duration, Effect, Layer } from "effect"

const bytes_max = 8

/**
 * Tells by how much the time of a run is ahead of the machine's: from a file, because whoever was stopped must see it
 * at once.
 */
const readingTimeFile = (path: string): (() => number) => {
  const file = openSync(path, "r")
  const bytes = Buffer.alloc(bytes_max)
  return () => {
    readSync(file, bytes, 0, bytes_max, 0)
    return bytes.readDoubleLE()
  }
}

/** Makes the file for a run that is not ahead yet; answers how to write into it. */
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

/** How often a sleeping process looks whether time has jumped. */
const look_ms = 10

/** A timer of Node's cannot be longer. */
const timer_max_ms = 2 ** 31 - 1

interface Sleeper {
  readonly until_ms: number
  readonly wake: () => void
  timer: NodeJS.Timeout | undefined
}

/**
 * The clock of every process of a run: the machine's, and as far ahead of it as the file says. When that jumps, who
 * sleeps past the end of his sleep wakes up, as after a pause of the machine. A process that was stopped meanwhile sees
 * it with the first look that it takes.
 */
export const makeSharedClock = (path: string): Clock.Clock => {
  const ahead_ms = readingTimeFile(path)
  const elapsed_ms = () => performance.now() + ahead_ms()
  const now_ms = () => Date.now() + Math.floor(ahead_ms())
  const now_ns = () => BigInt(now_ms()) * 1_000_000n
  const elapsed_ns = () => BigInt(Math.floor(elapsed_ms() * 1_000)) * 1_000n
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

  return {
    currentTimeMillisUnsafe: now_ms,
    currentTimeMillis: Effect.sync(now_ms),
    currentTimeNanosUnsafe: now_ns,
    currentTimeNanos: Effect.sync(now_ns),
    monotonicTimeNanosUnsafe: elapsed_ns,
    monotonicTimeNanos: Effect.sync(elapsed_ns),
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
  }
}

export const layer = (path: string) => Layer.sync(Clock.Clock, () => makeSharedClock(path))
