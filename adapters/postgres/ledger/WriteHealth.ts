import { Clock, Duration, Effect, Metric } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { cannotStore } from "../connection/SqlFailure.ts"

const lastFailure = Metric.gauge("saldo_writes_failing_timestamp_seconds", {
  description: "Unix time of the last write of a sale that the database could not store; 0 while it stores them"
})

/** Number of consecutive failed writes that prove a fault of the database. Fewer may be the fault of single sales. */
const failures_min = 3

/** How long after the last failed write the database counts as failing. After this time, a sale may try again. */
const failure_max = Duration.seconds(30)

/** Counts the writes of sales that fail one after the other. Writes nothing itself. */
export const watchWrites = Effect.gen(function* () {
  yield* Metric.update(lastFailure, 0)
  let failures = 0
  const recordFailure = Effect.flatMap(Clock.currentTimeMillis, (now_ms) => Metric.update(lastFailure, now_ms / 1000))
  return {
    /** Whether the latest write failed. */
    hasFailed: () => failures > 0,
    /** Records that a write was stored after failures. */
    stored: Effect.suspend(() => {
      failures = 0
      return Metric.update(lastFailure, 0)
    }),
    /** Records a failed write. */
    failed: (error: SqlError) => {
      if (!cannotStore(error)) return Effect.void
      failures++
      return failures < failures_min ? Effect.void : recordFailure
    }
  }
})
export type WriteWatch = Effect.Success<typeof watchWrites>

/** Whether the database stores the writes of sales, or could do so again. */
export const isStoring = Effect.gen(function* () {
  const now_ms = yield* Clock.currentTimeMillis
  const { value } = yield* Metric.value(lastFailure)
  const age_ms = now_ms - value * 1000
  // A negative age means that the clock was set back.
  return age_ms < 0 || age_ms >= Duration.toMillis(failure_max)
})
