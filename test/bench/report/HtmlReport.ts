import type { Results, Section } from "../stages/Benchmark.ts"
import type { MemorySample } from "../stages/Memory.ts"
import { isGoalMet, type Measurement } from "../support/Measurements.ts"
import { formatAmount, formatGoal, formatNumber, formatRatio, formatVerdict } from "./TextReport.ts"

const width = 640
const left = 70
const span = width - left - 120
const bar = 18

const svgText = (x: number, y: number, words: string, attributes = ""): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${words}</text>`

const svg = (height: number, label: string, parts: ReadonlyArray<string>): string =>
  `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${parts.join("")}</svg>`

interface Bar {
  readonly name: string
  readonly value: number
  readonly rounds: ReadonlyArray<number>
  readonly kind: string
}

const barOf = ({ kind, name, rounds, value }: Bar, y: number, scale: number, unit: string): string => {
  const dots = rounds.map(
    (round) => `<circle class="round" cx="${(left + round * scale).toFixed(1)}" cy="${y + bar / 2}" r="2.5"/>`
  )
  const end = left + Math.max(value, ...rounds) * scale
  return [
    svgText(left - 8, y + bar - 5, name, 'class="name" text-anchor="end"'),
    `<rect class="${kind}" x="${left}" y="${y}" width="${Math.max(1, value * scale).toFixed(1)}" height="${bar}"/>`,
    ...dots,
    svgText(end + 8, y + bar - 5, formatAmount(value, unit))
  ].join("")
}

/** Draws a measurement: both services as bars, each round as a dot, and the goal as a line. */
const barChart = (measurement: Measurement): string => {
  const { goal, ours, rounds, theirs, unit, what } = measurement
  if (theirs === null) return ""
  const goalAt = goal === null ? 0 : goal.value * theirs
  const scale = span / Math.max(goalAt, ours, theirs, ...rounds.flat())
  const met = isGoalMet(measurement)
  const sides: ReadonlyArray<Bar> = [
    { name: "Saldo", value: ours, rounds: rounds.map(([one]) => one), kind: met === false ? "ours missed" : "ours" },
    { name: "other", value: theirs, rounds: rounds.map(([, other]) => other), kind: "theirs" }
  ]
  const x = left + goalAt * scale
  const line =
    goal === null
      ? []
      : [
          `<line class="goal" x1="${x.toFixed(1)}" x2="${x.toFixed(1)}" y1="0" y2="${bar + 8}"/>`,
          `<title>goal: ${goal.is} ${formatNumber(goal.value)} times the other</title>`
        ]
  return svg(2 * bar + 14, what, [...sides.map((side, row) => barOf(side, 4 + row * (bar + 6), scale, unit)), ...line])
}

/** Draws the memory of a server over time. */
const memoryChart = (samples: ReadonlyArray<MemorySample>): string => {
  const height = 160
  const base = height - 24
  const seconds = Math.max(1, ...samples.map(({ at_s }) => at_s))
  const top_MB = Math.max(1, ...samples.map(({ rss_MB }) => rss_MB))
  const at = ({ at_s, rss_MB }: MemorySample) =>
    `${(left + (at_s / seconds) * span).toFixed(1)},${(base - (rss_MB / top_MB) * (base - 16)).toFixed(1)}`
  return svg(height, "Memory of the server", [
    `<line class="axis" x1="${left}" x2="${left + span}" y1="${base}" y2="${base}"/>`,
    `<polyline class="memory" points="${samples.map(at).join(" ")}"/>`,
    svgText(left - 8, 20, `${formatNumber(top_MB)} MB`, 'text-anchor="end"'),
    svgText(left - 8, base, "0", 'text-anchor="end"'),
    svgText(left + span, height - 6, `${formatNumber(seconds)} s`, 'text-anchor="end"')
  ])
}

const style = `
  :root { color-scheme: light dark; --ink: #1c2430; --paper: #fbfbf9; --faint: #78818f; --rule: #dde0e4;
    --ours: #12796b; --theirs: #a9b2bd; --missed: #c2452d }
  @media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --paper: #16191d; --faint: #98a1ad; --rule: #30363d;
    --ours: #35b19e; --theirs: #5b6570; --missed: #e8735b } }
  body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem;
    margin: 3rem auto; padding: 0 1.5rem }
  h1 { font-size: 1.7rem; margin-bottom: .3rem } h2 { margin-top: 3rem; font-size: 1.2rem }
  table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
  th, td { text-align: left; padding: .45rem .8rem .45rem 0; border-bottom: 1px solid var(--rule); vertical-align: top }
  th { color: var(--faint); font-weight: 500; font-size: .85rem } td.value { text-align: right; white-space: nowrap }
  .met { color: var(--ours) } .MISSED, .BROKEN { color: var(--missed); font-weight: 600 }
  svg { display: block; width: 100%; max-width: 44rem; margin: .6rem 0 1.4rem } svg text { font-size: 12px; fill: var(--ink) }
  .name { fill: var(--faint) } .ours { fill: var(--ours) } .ours.missed { fill: var(--missed) } .theirs { fill: var(--theirs) }
  .round { fill: none; stroke: var(--ink); stroke-width: 1 } .goal { stroke: var(--ink); stroke-width: 2; stroke-dasharray: 3 2 }
  .axis { stroke: var(--rule) } .memory { fill: none; stroke: var(--ours); stroke-width: 1.5 }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; color: var(--faint); font-size: .9rem }
  dd { margin: 0 } figure { margin: 1.2rem 0 } figcaption { font-size: .9rem } p { max-width: 44rem }
`

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const cells = (values: ReadonlyArray<string>): string =>
  values.map((value) => `<td class="value">${escaped(value)}</td>`).join("")

const rowOf = (measurement: Measurement): string => {
  const { ours, theirs, unit, what } = measurement
  const verdict = formatVerdict(measurement)
  const values = [
    formatAmount(ours, unit),
    formatAmount(theirs, unit),
    formatRatio(measurement),
    formatGoal(measurement)
  ]
  return `<tr><td>${escaped(what)}</td>${cells(values)}<td class="${verdict}">${verdict}</td></tr>`
}

const chartOf = (measurement: Measurement): string => {
  const chart = barChart({ ...measurement, what: escaped(measurement.what) })
  return chart === "" ? "" : `<figure><figcaption>${escaped(measurement.what)}</figcaption>${chart}</figure>`
}

const sectionOf = ({ measurements, memory: samples, title }: Section): string => `
  <h2>${escaped(title)}</h2>
  <table>
    <tr><th></th><th>Saldo</th><th>other</th><th>ratio</th><th>goal</th><th></th></tr>
    ${measurements.map(rowOf).join("\n    ")}
  </table>
  ${measurements.map(chartOf).join("\n  ")}
  ${samples.length === 0 ? "" : `<figure><figcaption>Memory of the server during the load</figcaption>${memoryChart(samples)}</figure>`}`

const checksOf = ({ checks }: Results): string => {
  const rows = checks.map(
    ({ detail, ok, what }) =>
      `<tr><td>${escaped(what)}</td><td>${escaped(detail)}</td><td class="${ok ? "met" : "BROKEN"}">${ok ? "ok" : "BROKEN"}</td></tr>`
  )
  return `<h2>Checks after the load</h2><table>${rows.join("\n")}</table>`
}

/** The report as one HTML page without external resources. */
export const htmlReport = (results: Results, facts: Readonly<Record<string, string>>): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Saldo under load</title>
<style>${style}</style>
<h1>Saldo under load</h1>
<p>Saldo runs as in production. It is compared with a conventional service without credentials and validation, on the same
Postgres, in turn. Some rows state another comparison. A ratio is the median of
the rounds' ratios. Absolute measurements depend on the machine; ratios do so less. A dot is a round, the dashed line the goal.</p>
<dl>${Object.entries(facts)
  .map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`)
  .join("")}</dl>
${results.sections.map(sectionOf).join("\n")}
${checksOf(results)}
</html>
`
