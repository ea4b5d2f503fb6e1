import { Clock, Duration, Effect, Metric } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { seriesOf } from "../../../core/telemetry/Metrics.ts"
import { CellName } from "../connection/Cell.ts"
import type { CellPlace } from "../connection/Nodes.ts"
import { cannotStore } from "../connection/SqlFailure.ts"

const lastFailures = seriesOf(["cell"], (attributes) =>
  Metric.gauge("saldo_writes_failing_timestamp_seconds", {
    description: "Unix time of the last write of a sale that the cell could not store; 0 while it stores them",
    attributes
  })
)

/** Number of consecutive failed writes that prove a fault of the database. Fewer may be the fault of single sales. */
const failures_min = 3

/** How long after the last failed write the database counts as failing. After this time, a sale may try again. */
const failure_max = Duration.seconds(30)

/** Counts consecutive failed writes of a cell's sales. Writes nothing to the database itself. */
export const watchWrites = Effect.gen(function* () {
  const lastFailure = lastFailures({ cell: yield* CellName })
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

const isFailing = Effect.fnUntraced(function* (cell: string) {
  const now_ms = yield* Clock.currentTimeMillis
  const { value } = yield* Metric.value(lastFailures({ cell }))
  const age_ms = now_ms - value * 1000
  // A negative age means that the clock was set back.
  return age_ms >= 0 && age_ms < Duration.toMillis(failure_max)
})

/**
 * Whether at least one server of the cells stores sales. A failing server counts as storing again after
 * `failure_max`.
 */
export const isStoring = Effect.fnUntraced(function* (cells: ReadonlyArray<CellPlace>) {
  const failing = yield* Effect.filter(cells, ({ name }) => isFailing(name))
  const full = new Set(failing.map(({ node }) => node))
  return cells.length === 0 || cells.some(({ node }) => !full.has(node))
})
