import { existsSync } from "node:fs"
import { Effect } from "effect"
import * as Autocannon from "./Autocannon.ts"
import { Failed } from "./Failed.ts"
import type { Load, Measured } from "./Load.ts"
import * as Wrk from "./Wrk.ts"

const wrk = "/usr/bin/wrk"
const hasWrk = existsSync(wrk)

/** Which program makes the load. */
export const generator = hasWrk ? "wrk" : "autocannon"

/** Puts servers under load for so many seconds, each connection sending as soon as it is answered. */
export const measure = Effect.fnUntraced(function* (load: Load) {
  const counted = yield* hasWrk ? Wrk.count(wrk, load) : Autocannon.count(load)
  const { broken, p50_ms, p99_ms, refused, seconds, succeeded } = counted
  if (refused + broken > 0 || succeeded === 0) {
    const { method, path } = load.shape
    return yield* new Failed({
      message: `${method} ${path} at ${load.urls.join(" and ")}: ${succeeded} calls succeeded, ${refused} were refused, ${broken} broke off`
    })
  }
  return { succeeded, perSecond: succeeded / seconds, p50_ms, p99_ms } satisfies Measured
})
