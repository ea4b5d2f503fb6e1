import { existsSync } from "node:fs"
import { Effect, Schema } from "effect"
import * as Autocannon from "./LoadGenerators.ts"
import * as Wrk from "./LoadGenerators.ts"
import type { Load, LoadResult } from "./Workload.ts"

/** The benchmark cannot go on, or its figures would say nothing. The message says why. */
export class BenchmarkFailed extends Schema.TaggedError<BenchmarkFailed>()("Failed", { message: Schema.String }) {}

const wrk = "/usr/bin/wrk"
const hasWrk = existsSync(wrk)

/** Which program makes the load. */
export const generator = hasWrk ? "wrk" : "autocannon"

/** Puts servers under load for so many seconds, each connection sending as soon as it is answered. */
export const measure = Effect.fnUntraced(function* (load: Load) {
  const counted = yield* hasWrk ? Wrk.countWithWrk(wrk, load) : Autocannon.countWithAutocannon(load)
  const { broken, p50_ms, p99_ms, refused, seconds, succeeded } = counted
  if (refused + broken > 0 || succeeded === 0) {
    const { method, path } = load.shape
    return yield* new BenchmarkFailed({
      message: `${method} ${path} at ${load.urls.join(" and ")}: ${succeeded} calls succeeded, ${refused} were refused, ${broken} broke off`
    })
  }
  return { succeeded, perSecond: succeeded / seconds, p50_ms, p99_ms } satisfies LoadResult
})
