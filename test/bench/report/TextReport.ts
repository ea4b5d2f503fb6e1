import { formatTable } from "../../../facade/cli/terminal/Output.ts"
import { machineFacts } from "../../support/CheckProgram.ts"
import type { BenchmarkPlan, Results, Section } from "../stages/Benchmark.ts"
import { generator } from "../support/Measure.ts"
import { type Goal, isGoalMet, type Measurement } from "../support/Measurements.ts"

/** The machine and the settings of the run. */
export const environmentFacts = (plan: BenchmarkPlan, at: string): Readonly<Record<string, string>> => ({
  measured: at,
  ...machineFacts(),
  load: `${generator}, ${plan.connections} connections, medians of ${plan.rounds} rounds of ${plan.seconds} s, sides in turn`,
  machines: "load generator, servers and Postgres share this machine"
})

/** The number with three significant digits, or with all its integer digits if it is at least 100. */
export const formatNumber = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)))

export const formatAmount = (value: number | null, unit: string): string =>
  value === null ? "" : `${formatNumber(value)}${unit.startsWith("/") ? unit : ` ${unit}`}`

export const formatRatio = ({ ratio }: Measurement): string => (ratio === null ? "" : `${formatNumber(ratio)}x`)

const goalText = ({ is, value }: Goal, { ratio, unit }: Measurement): string =>
  `${is} ${ratio === null ? formatAmount(value, unit) : `${formatNumber(value)}x`}`

export const formatGoal = (measurement: Measurement): string =>
  measurement.goal === null ? "" : goalText(measurement.goal, measurement)

export const formatVerdict = (measurement: Measurement): string => {
  const met = isGoalMet(measurement)
  return met === null ? "" : met ? "met" : "MISSED"
}

const rowsOf = ({ measurements, title }: Section) =>
  measurements.map((measurement) => ({
    [title]: measurement.what,
    Saldo: formatAmount(measurement.ours, measurement.unit),
    other: formatAmount(measurement.theirs, measurement.unit),
    ratio: formatRatio(measurement),
    goal: formatGoal(measurement),
    "": formatVerdict(measurement)
  }))

/** The measurements and the checks as text. */
export const textReport = ({ checks, sections }: Results): string =>
  [
    ...sections.map((section) => formatTable(rowsOf(section))),
    checks.map(({ detail, ok, what }) => `${ok ? "ok      " : "BROKEN  "}${what}: ${detail}`).join("\n")
  ].join("\n\n")
