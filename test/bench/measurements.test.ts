import { describe, expect, it } from "@effect/vitest"
import { costOf, isGoalMet, type Measurement, median, percentile, rateOf, slope } from "./support/Measurements.ts"

const measured = (perSecond: number) => ({
  succeeded: 1,
  perSecond,
  p50_ms: 1,
  p99_ms: 1,
  p999_ms: 1,
  longest_ms: 1,
  cpu_us: null,
  database_us: null,
  log_bytes: null,
  log_flushes: null
})

const measurement = (ratio: number | null, ours: number, is: "at least" | "at most", value: number): Measurement => ({
  what: "sales",
  unit: "/s",
  ours,
  theirs: null,
  ratio,
  goal: { is, value },
  rounds: []
})

describe("a measurement", () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[7], 7]
  ])("of the rounds %j is their median %d", (values, expected) => {
    expect(median(values)).toBe(expected)
  })

  it("has a ratio that is the median of the rounds' ratios, because a slow moment affects both sides of a round", () => {
    const rounds = [
      { ours: measured(100), theirs: measured(50) },
      { ours: measured(10), theirs: measured(5) },
      { ours: measured(90), theirs: measured(30) }
    ]
    expect(rateOf("sales", null, rounds)).toMatchObject({ ours: 90, theirs: 30, ratio: 2 })
  })

  it.each([
    // ratio, value, goal, met
    [4.5, 1, "at least", 4.5, true],
    [4.4, 9, "at least", 4.5, false],
    [0.5, 9, "at most", 0.5, true],
    [0.6, 0, "at most", 0.5, false],
    // If there is no service to compare with, the goal applies to the value itself.
    [null, 1_000, "at least", 1_000, true],
    [null, 600, "at most", 512, false]
  ] as const)(
    "with ratio %s and value %d is checked against the goal %s %d: met = %s",
    (ratio, ours, is, value, met) => {
      expect(isGoalMet(measurement(ratio, ours, is, value))).toBe(met)
    }
  )

  it("is neither met nor missed if it has no goal", () => {
    expect(isGoalMet({ ...measurement(1, 1, "at least", 2), goal: null })).toBeNull()
  })
})

describe("the cost of a call", () => {
  it("is absent when the kernel reports no processor time", () => {
    expect(costOf("a sale", "cpu_us", [{ ours: measured(1), theirs: measured(1) }])).toEqual([])
  })

  it("is compared with the cost of the other service", () => {
    const counted = (cpu_us: number) => ({ ...measured(1), cpu_us })
    expect(costOf("a sale", "cpu_us", [{ ours: counted(300), theirs: counted(600) }])).toMatchObject([
      { ours: 300, theirs: 600, ratio: 0.5, unit: "µs" }
    ])
  })
})

describe("a percentile", () => {
  const hundred = Float64Array.from({ length: 100 }, (_, index) => index + 1)

  it.each([
    [50, 50],
    [99, 99],
    [100, 100]
  ])("%d of the numbers 1 to 100 is %d", (percent, expected) => {
    expect(percentile(hundred, percent)).toBe(expected)
  })
})

describe("the growth of a sampled value", () => {
  it("is the slope of the regression line through the samples", () => {
    expect(slope([[0, 100], [1, 102], [2, 104]])).toBe(2) // biome-ignore format: points
  })

  it("is zero for a single sample", () => {
    expect(slope([[3, 100]])).toBe(0)
  })
})
