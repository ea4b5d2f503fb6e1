import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { Clock, Effect, Fiber, Schedule } from "effect"
import { companies_max } from "../support/Dataset.ts"
import { measure } from "../support/Measure.ts"
import { type Measurement, singleMeasurement, slope } from "../support/Measurements.ts"
import { BenchmarkProgress } from "../support/Rounds.ts"
import { saleBySaldo } from "../support/Workload.ts"
import type { CountedService } from "./WithHistory.ts"

/** Memory of a process at one moment. */
export interface MemorySample {
  readonly at_s: number
  readonly rss_MB: number
}

/** Resident set size of a process; null once it has ended. */
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

/** Samples the memory of a process every half second while an effect runs. */
export const watchMemory = Effect.fnUntraced(function* <A, E, R>(pid: number, work: Effect.Effect<A, E, R>) {
  const began_ms = yield* Clock.currentTimeMillis
  const samples: Array<MemorySample> = []
  const look = Effect.map(Clock.currentTimeMillis, (now_ms) => {
    const rss = rss_MB(pid)
    if (rss !== null) samples.push({ at_s: (now_ms - began_ms) / 1000, rss_MB: rss })
  })
  const watch = yield* Effect.forkChild(Effect.repeat(look, Schedule.spaced("500 millis")))
  const result = yield* Effect.ensuring(work, Fiber.interrupt(watch))
  return { result, samples }
})

export const highest_MB = (samples: ReadonlyArray<MemorySample>): number =>
  Math.max(0, ...samples.map((sample) => sample.rss_MB))

/**
 * Memory growth over the second half of the samples. The first half is ignored, because the heap still grows to its
 * normal size.
 */
const growth_MBperHour = (samples: ReadonlyArray<MemorySample>): number => {
  const half = samples.slice(samples.length >> 1)
  return 3600 * slope(half.map(({ at_s, rss_MB }) => [at_s, rss_MB]))
}

/** Maximum memory of a sampled server. */
export const highestMemory = (samples: ReadonlyArray<MemorySample>): Measurement =>
  singleMeasurement({ what: "Peak memory under load", unit: "MB", goal: null }, highest_MB(samples))

/** Keeps a server under load for some minutes and samples its memory. */
export const soakMemory = Effect.fnUntraced(function* ({ saleCount, service }: CountedService, minutes: number) {
  const { options, step } = yield* BenchmarkProgress
  const load = {
    urls: [service.url],
    shape: saleBySaldo(companies_max),
    connections: options.connections,
    seconds: minutes * 60
  }
  const { result, samples } = yield* step(
    `Selling for ${minutes} min`,
    load.seconds,
    watchMemory(service.pid, measure(load))
  )
  saleCount.answered += result.succeeded
  const measurements: ReadonlyArray<Measurement> = [
    highestMemory(samples),
    singleMeasurement({ what: "Growth over the second half", unit: "MB/h", goal: null }, growth_MBperHour(samples)),
    singleMeasurement({ what: "Sales during the load", unit: "/s", goal: null }, result.perSecond)
  ]
  return { measurements, samples }
})
