import type { Results, Section } from "../stages/Bench.ts"
import type { Figure } from "../support/Figures.ts"
import { bars, memory } from "./Charts.ts"
import { amount, goalOf, ratioOf, verdictOf } from "./Words.ts"

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

const rowOf = (figure: Figure): string => {
  const { ours, theirs, unit, what } = figure
  const verdict = verdictOf(figure)
  const values = [amount(ours, unit), amount(theirs, unit), ratioOf(figure), goalOf(figure)]
  return `<tr><td>${escaped(what)}</td>${cells(values)}<td class="${verdict}">${verdict}</td></tr>`
}

const chartOf = (figure: Figure): string => {
  const chart = bars({ ...figure, what: escaped(figure.what) })
  return chart === "" ? "" : `<figure><figcaption>${escaped(figure.what)}</figcaption>${chart}</figure>`
}

const sectionOf = ({ figures, memory: samples, title }: Section): string => `
  <h2>${escaped(title)}</h2>
  <table>
    <tr><th></th><th>Saldo</th><th>other</th><th>ratio</th><th>goal</th><th></th></tr>
    ${figures.map(rowOf).join("\n    ")}
  </table>
  ${figures.map(chartOf).join("\n  ")}
  ${samples.length === 0 ? "" : `<figure><figcaption>Memory of the server meanwhile</figcaption>${memory(samples)}</figure>`}`

const proofsOf = ({ proofs }: Results): string => {
  const rows = proofs.map(
    ({ detail, ok, what }) =>
      `<tr><td>${escaped(what)}</td><td>${escaped(detail)}</td><td class="${ok ? "met" : "BROKEN"}">${ok ? "ok" : "BROKEN"}</td></tr>`
  )
  return `<h2>After all of it</h2><table>${rows.join("\n")}</table>`
}

/** A page that needs nothing but itself. */
export const pageOf = (results: Results, facts: Readonly<Record<string, string>>): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Saldo under load</title>
<style>${style}</style>
<h1>Saldo under load</h1>
<p>Saldo does all that it does in production. It is held against a service as people usually write it, without credentials
and validation, on the same Postgres in turn; where another yardstick is meant, the row says so. A ratio is the median of
the rounds' ratios: absolute figures are this machine's, ratios travel. A dot is a round, the dashed line the goal.</p>
<dl>${Object.entries(facts)
  .map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`)
  .join("")}</dl>
${results.sections.map(sectionOf).join("\n")}
${proofsOf(results)}
</html>
`
