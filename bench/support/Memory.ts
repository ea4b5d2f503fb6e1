import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { Clock, Effect, Fiber, Schedule } from "effect"
import { slope } from "./Figures.ts"

/** What a process had in memory at an instant of the watch. */
export interface Sample {
  readonly at_s: number
  readonly rss_MB: number
}

/** The resident set of a process; null once it has ended. */
const rss_MB = (pid: number): number | null => {
  try {
    const status = `/proc/${pid}/status`
    const kilobytes = existsSync(status)
      ? /^VmRSS:\s+(\d+)/m.exec(readFileSync(status, "utf8"))?.[1]
      : execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })
    return kilobytes === undefined ? null : Number(kilobytes) / 1024
  } catch {
    return null
  }
}

/** Looks at a process's memory every half second for as long as the work goes on. */
export const watching = Effect.fnUntraced(function* <A, E, R>(pid: number, work: Effect.Effect<A, E, R>) {
  const began_ms = yield* Clock.currentTimeMillis
  const samples: Array<Sample> = []
  const look = Effect.map(Clock.currentTimeMillis, (now_ms) => {
    const rss = rss_MB(pid)
    if (rss !== null) samples.push({ at_s: (now_ms - began_ms) / 1000, rss_MB: rss })
  })
  const watch = yield* Effect.forkChild(Effect.repeat(look, Schedule.spaced("500 millis")))
  const result = yield* Effect.ensuring(work, Fiber.interrupt(watch))
  return { result, samples }
})

export const highest_MB = (samples: ReadonlyArray<Sample>): number =>
  Math.max(0, ...samples.map((sample) => sample.rss_MB))

/** Growth over the second half of a watch: in the first a heap still finds its size. */
export const growth_MBperHour = (samples: ReadonlyArray<Sample>): number => {
  const half = samples.slice(samples.length >> 1)
  return 3600 * slope(half.map(({ at_s, rss_MB }) => [at_s, rss_MB]))
}
