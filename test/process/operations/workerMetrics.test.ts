import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { addEndedMetrics, mergeMetrics } from "../../../facade/processes/MergedMetrics.ts"
import { pauseAfter } from "../../../facade/processes/Workers.ts"

/** The metrics of a process, in the text format of Prometheus. */
const processWith = (...updates: ReadonlyArray<Effect.Effect<void>>) =>
  Effect.andThen(Effect.all(updates), PrometheusMetrics.format()).pipe(
    Effect.provideService(Metric.MetricRegistry, new Map())
  )

const sold = (status: string, sales: number) =>
  Metric.update(
    Metric.counter("sales_total", { description: "Sales", incremental: true, attributes: { status } }),
    sales
  )
const took = (seconds: number) =>
  Metric.update(Metric.histogram("request_seconds", { description: "Time", boundaries: [0.1, 1] }), seconds)
const lastCycle = (time: number) => Metric.update(Metric.gauge("last_cycle", { description: "Last cycle" }), time)

/** The samples in a text: the value of each series. */
const samplesOf = (text: string) =>
  Object.fromEntries(
    text.split("\n").flatMap((line) => {
      const [, sample, value] = /^([^#].*) (\S+)$/.exec(line) ?? []
      return sample === undefined ? [] : [[sample, value]]
    })
  )

describe("the metrics of several processes", () => {
  it.effect("are the sums of counters and histograms, and the largest known values of gauges", () =>
    Effect.gen(function* () {
      const one = yield* processWith(sold("SUCCESS", 3), sold("FAILED", 1), took(0.05), took(5), lastCycle(100))
      const other = yield* processWith(sold("SUCCESS", 4), took(0.5), lastCycle(Number.NaN))
      const merged = mergeMetrics([one, other])
      assert.deepStrictEqual(samplesOf(merged), {
        'sales_total{status="SUCCESS"}': "7",
        'sales_total{status="FAILED"}': "1",
        'request_seconds_bucket{le="0.1"}': "1",
        'request_seconds_bucket{le="1"}': "2",
        'request_seconds_bucket{le="+Inf"}': "3",
        request_seconds_sum: "5.55",
        request_seconds_count: "3",
        last_cycle: "100"
      })
      assert.lengthOf(merged.match(/# TYPE sales_total counter\n/g) ?? [], 1)
    })
  )

  it.effect("are returned unchanged if there is only one process", () =>
    Effect.gen(function* () {
      const alone = yield* processWith(sold("SUCCESS", 3), took(0.5), lastCycle(Number.NaN))
      assert.strictEqual(mergeMetrics([alone]), alone)
    })
  )

  it.effect("keep the counts of a process that has ended, but not its gauges", () =>
    Effect.gen(function* () {
      const first = yield* processWith(sold("SUCCESS", 3), lastCycle(100))
      const second = yield* processWith(sold("SUCCESS", 4), lastCycle(200))
      const ended = addEndedMetrics(addEndedMetrics("", first), second)
      const running = yield* processWith(sold("SUCCESS", 1), lastCycle(50))
      assert.deepStrictEqual(samplesOf(mergeMetrics([running, ended])), {
        'sales_total{status="SUCCESS"}': "8",
        last_cycle: "50"
      })
    })
  )
})

describe("a worker that fails again and again", () => {
  it("is replaced immediately, then after growing pauses of at most 30 seconds", () => {
    const pauses = [1, 2, 3, 4, 6, 7, 50].map((failures) => Duration.toSeconds(pauseAfter(failures)))
    assert.deepStrictEqual(pauses, [0, 1, 2, 4, 16, 30, 30])
  })
})
