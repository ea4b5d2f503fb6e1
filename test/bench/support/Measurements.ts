import type { Latencies, LoadResult } from "./Workload.ts"

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const [low = 0, high = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return (low + high) / 2
}

/**
 * The percentile of a sorted list of numbers.
 *
 * @param sorted in ascending order.
 */
export const percentile = (sorted: Float64Array, percent: number): number =>
  sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0

/** Slope of the least-squares line through the points. */
export const slope = (points: ReadonlyArray<readonly [x: number, y: number]>): number => {
  const mean = (pick: 0 | 1) => points.reduce((sum, point) => sum + point[pick], 0) / points.length
  const [x_mean, y_mean] = [mean(0), mean(1)]
  const spread = points.reduce((sum, [x]) => sum + (x - x_mean) ** 2, 0)
  return spread === 0 ? 0 : points.reduce((sum, [x, y]) => sum + (x - x_mean) * (y - y_mean), 0) / spread
}

/**
 * Goal of a measurement. It applies to the ratio to the other service or, if there is no other service, to the value.
 */
export interface Goal {
  readonly is: "at least" | "at most"
  readonly value: number
}

export interface Measurement {
  readonly what: string
  readonly unit: string
  readonly ours: number
  /** Value of the other service; null if the measurement has no comparison. */
  readonly theirs: number | null
  /**
   * Median of the ratios of all rounds. A slow moment of the machine affects both services of a round, so the ratio
   * stays valid.
   */
  readonly ratio: number | null
  /** Null if the measurement has no goal. */
  readonly goal: Goal | null
  /** For each round, Saldo's value and the value it is compared with. */
  readonly rounds: ReadonlyArray<readonly [ours: number, theirs: number]>
}

/** Result of one load. A round has a load of Saldo and a load of the other service. */
interface RoundLoad extends LoadResult {
  /** Processor time of a call in the server and in the database; null if the kernel does not report it. */
  readonly cpu_us: number | null
  readonly database_us: number | null
  /** Bytes that a call wrote to the write-ahead log of Postgres, and flushes of this log for a call. */
  readonly log_bytes: number | null
  readonly log_flushes: number | null
}

/** A round: the loads of both services, one after the other. */
export interface Round {
  readonly ours: RoundLoad
  readonly theirs: RoundLoad
}

export interface MeasurementSpec {
  readonly what: string
  readonly unit: string
  readonly goal: Goal | null
}

const compareRounds = (
  wanted: MeasurementSpec,
  rounds: ReadonlyArray<Round>,
  pick: (loaded: RoundLoad) => number
): Measurement => {
  const pairs = rounds.map(({ ours, theirs }) => [pick(ours), pick(theirs)] as const)
  return {
    ...wanted,
    ours: median(pairs.map(([ours]) => ours)),
    theirs: median(pairs.map(([, theirs]) => theirs)),
    ratio: median(pairs.map(([ours, theirs]) => ours / theirs)),
    rounds: pairs
  }
}

export const rateOf = (what: string, goal: Goal | null, rounds: ReadonlyArray<Round>): Measurement =>
  compareRounds({ what, unit: "/s", goal }, rounds, ({ perSecond }) => perSecond)

export const latencyOf = (what: string, which: keyof Latencies, goal: Goal | null, rounds: ReadonlyArray<Round>) =>
  compareRounds({ what, unit: "ms", goal }, rounds, (measured) => measured[which])

const costUnits = { cpu_us: "µs", database_us: "µs", log_bytes: "bytes", log_flushes: "" } as const

/**
 * What a call costs, for example processor time in the server or in the database. A busy machine disturbs it less than it
 * disturbs other measurements. Empty if the kernel does not report it.
 */
export const costOf = (what: string, which: keyof typeof costUnits, rounds: ReadonlyArray<Round>) =>
  rounds.some(({ ours, theirs }) => ours[which] === null || theirs[which] === null)
    ? []
    : [compareRounds({ what, unit: costUnits[which], goal: null }, rounds, (loaded) => loaded[which] ?? 0)]

/** A measurement of Saldo that has no comparison. */
export const singleMeasurement = (wanted: MeasurementSpec, ours: number): Measurement => ({
  ...wanted,
  ours,
  theirs: null,
  ratio: null,
  rounds: []
})

/** Whether the goal is met; null without a goal. */
export const isGoalMet = ({ goal, ours, ratio }: Measurement): boolean | null => {
  if (goal === null) return null
  const judged = ratio ?? ours
  return goal.is === "at least" ? judged >= goal.value : judged <= goal.value
}
