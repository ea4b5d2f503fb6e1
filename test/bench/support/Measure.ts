import { existsSync } from "node:fs"
import { Effect, Schema } from "effect"
import { countAtRate, countWithAutocannon, countWithWrk } from "./LoadGenerators.ts"
import type { Load, LoadResult } from "./Workload.ts"

/** Failure of a benchmark whose measurements would be wrong. The message gives the reason. */
export class BenchmarkFailed extends Schema.TaggedError<BenchmarkFailed>()("BenchmarkFailed", {
  message: Schema.String
}) {}

const wrk = "/usr/bin/wrk"
const hasWrk = existsSync(wrk)

/** Name of the load generator. */
export const generator = hasWrk ? "wrk" : "autocannon"

const count = (load: Load) => {
  if (load.perSecond !== undefined) return countAtRate(load, load.perSecond)
  if (load.pause_ms !== undefined && !hasWrk) return countAtRate(load, (1_000 * load.connections) / load.pause_ms)
  return hasWrk ? countWithWrk(wrk, load) : countWithAutocannon(load)
}

/** Puts servers under load for some seconds. */
export const measure = Effect.fnUntraced(function* (load: Load) {
  const { broken, refused, seconds, succeeded, ...latencies } = yield* count(load)
  if (refused + broken > 0 || succeeded === 0) {
    const { method, path } = load.shape
    return yield* new BenchmarkFailed({
      message: `${method} ${path} at ${load.urls.join(" and ")}: ${succeeded} calls succeeded, ${refused} were refused, ${broken} got no response`
    })
  }
  return { succeeded, perSecond: succeeded / seconds, ...latencies } satisfies LoadResult
})
