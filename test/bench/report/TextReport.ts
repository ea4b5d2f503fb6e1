import { formatTable } from "../../../facade/cli/terminal/Output.ts"
import { machineFacts } from "../../support/CheckProgram.ts"
import type { BenchmarkPlan, Results, Section } from "../stages/Benchmark.ts"
import { generator } from "../support/Measure.ts"
import { type Goal, isGoalMet, type Measurement } from "../support/Measurements.ts"

/** On what, and how, it was measured. */
export const environmentFacts = (plan: BenchmarkPlan, at: string): Readonly<Record<string, string>> => ({
  measured: at,
  ...machineFacts(),
  load: `${generator}, ${plan.connections} connections, medians of ${plan.rounds} rounds of ${plan.seconds} s in turn`,
  everything: "load, servers and Postgres share the machine"
})

/** Three digits that matter, or all of a large number. */
export const formatNumber = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)))

export const formatAmount = (value: number | null, unit: string): string =>
  value === null ? "" : `${formatNumber(value)}${unit.startsWith("/") ? unit : ` ${unit}`}`

export const formatRatio = ({ ratio }: Measurement): string => (ratio === null ? "" : `${formatNumber(ratio)}x`)

const goalText = ({ is, value }: Goal, { ratio, unit }: Measurement): string =>
  `${is} ${ratio === null ? formatAmount(value, unit) : `${formatNumber(value)}x`}`

export const formatGoal = (figure: Measurement): string => (figure.goal === null ? "" : goalText(figure.goal, figure))

export const formatVerdict = (figure: Measurement): string => {
  const met = isGoalMet(figure)
  return met === null ? "" : met ? "met" : "MISSED"
}

const rowsOf = ({ figures, title }: Section) =>
  figures.map((figure) => ({
    [title]: figure.what,
    Saldo: formatAmount(figure.ours, figure.unit),
    other: formatAmount(figure.theirs, figure.unit),
    ratio: formatRatio(figure),
    goal: formatGoal(figure),
    "": formatVerdict(figure)
  }))

/** The figures and the proofs, for a terminal. */
export const textReport = ({ proofs, sections }: Results): string =>
  [
    ...sections.map((section) => formatTable(rowsOf(section))),
    proofs.map(({ detail, ok, what }) => `${ok ? "ok      " : "BROKEN  "}${what}: ${detail}`).join("\n")
  ].join("\n\n")
