import type { LoadResult } from "./Workload.ts"

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const [low = 0, high = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return (low + high) / 2
}

/** @param sorted from the lowest to the highest. */
export const percentile = (sorted: Float64Array, percent: number): number =>
  sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0

/** How much a value grows in one unit of x, by least squares. */
export const slope = (points: ReadonlyArray<readonly [x: number, y: number]>): number => {
  const mean = (pick: 0 | 1) => points.reduce((sum, point) => sum + point[pick], 0) / points.length
  const [x_mean, y_mean] = [mean(0), mean(1)]
  const spread = points.reduce((sum, [x]) => sum + (x - x_mean) ** 2, 0)
  return spread === 0 ? 0 : points.reduce((sum, [x, y]) => sum + (x - x_mean) * (y - y_mean), 0) / spread
}

/** What is wanted of a figure: of its ratio to the other's, or of itself where there is no other. */
export interface Goal {
  readonly is: "at least" | "at most"
  readonly value: number
}

export interface Measurement {
  readonly what: string
  readonly unit: string
  readonly ours: number
  /** What it is measured against; null for what stands for itself. */
  readonly theirs: number | null
  /** Ours to theirs: the median of the rounds' ratios, because a noisy machine is noisy for both of a round. */
  readonly ratio: number | null
  /** Null for what is only shown. */
  readonly goal: Goal | null
  /** Each round's two values. */
  readonly rounds: ReadonlyArray<readonly [ours: number, theirs: number]>
}

/** What a load of a round was answered with. */
interface RoundLoad extends LoadResult {
  /** What a call took of a processor, in the server and in the database; null where nobody counted. */
  readonly cpu_us: number | null
  readonly database_us: number | null
}

/** Two loads, one after the other. */
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

export const latencyOf = (what: string, which: "p50_ms" | "p99_ms", goal: Goal | null, rounds: ReadonlyArray<Round>) =>
  compareRounds({ what, unit: "ms", goal }, rounds, (measured) => measured[which])

/**
 * What a call takes of a processor, in the server or in the database: figures that a busy machine disturbs least. None
 * where nobody counted.
 */
export const cpuTimeOf = (what: string, which: "cpu_us" | "database_us", rounds: ReadonlyArray<Round>) =>
  rounds.some(({ ours, theirs }) => ours[which] === null || theirs[which] === null)
    ? []
    : [compareRounds({ what, unit: "µs", goal: null }, rounds, (loaded) => loaded[which] ?? 0)]

/** A figure that stands for itself. */
export const singleMeasurement = (wanted: MeasurementSpec, ours: number): Measurement => ({
  ...wanted,
  ours,
  theirs: null,
  ratio: null,
  rounds: []
})

/** Whether the goal is met; null where there is none. */
export const isGoalMet = ({ goal, ours, ratio }: Measurement): boolean | null => {
  if (goal === null) return null
  const judged = ratio ?? ours
  return goal.is === "at least" ? judged >= goal.value : judged <= goal.value
}
