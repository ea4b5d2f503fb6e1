import { type Html, html } from "../../../facade/docs/Html.ts"
import type { Coverage } from "../campaign/Campaign.ts"
import type { ShrunkScenario } from "../campaign/Shrink.ts"
import { allFaults, type Backend, faultAtStep, faults, stepsOn, whyImpossible } from "../engine/Faults.ts"
import type { RunResult } from "../run/Simulate.ts"
import { scenarioText } from "./CampaignText.ts"
import { factsAsHtml, htmlDocument } from "./HtmlDocument.ts"
import { timeline } from "./Timeline.ts"

/** Cells of the table with fewer hits are marked as rare. */
const few = 10

/** A table of how often each fault hit each step. Impossible cells show the reason. */
const coverageMatrix = (backend: Backend, coverage: Coverage): Html => {
  const most = Math.max(1, ...coverage.values())
  const rows = stepsOn(backend).map((step) => {
    const cells = allFaults.map((fault) => {
      const never = whyImpossible(step, fault)
      if (never !== null) return html`<td class="never" title="${never}">·</td>`
      const cell = faultAtStep(step, fault)
      const hits = coverage.get(cell) ?? 0
      if (hits < few) return html`<td class="thin" title="${cell}">${hits}</td>`
      const shade = (0.12 + 0.5 * Math.sqrt(hits / most)).toFixed(2)
      return html`<td style="background: rgba(var(--cell), ${shade})" title="${cell}">${hits}</td>`
    })
    return html`<tr><td>${step}</td>${cells}</tr>`
  })
  const heads = allFaults.map((fault) => html`<th title="${faults[fault]}">${fault}</th>`)
  return html`<div class="scroll"><table class="matrix"><tr><th>step</th>${heads}</tr>${rows}</table></div>`
}

/** The content of a campaign's HTML report. */
export interface CampaignReport {
  readonly facts: Readonly<Record<string, string>>
  readonly on: Backend
  readonly coverage: Coverage
  /** The run that the timeline shows: the failed run or, if none failed, the first run. */
  readonly shown: RunResult
  readonly story: ShrunkScenario | null
}

const failureHtml = (story: ShrunkScenario | null): Html =>
  story === null ? html`<p>No invariant was violated.</p>` : html`<pre>${scenarioText(story)}</pre>`

export const campaignPage = ({ coverage, facts, on, shown, story }: CampaignReport): string =>
  htmlDocument(
    "Saldo simulation",
    html`<p>Each seed determines time, the order of concurrent events, the requests and the faults. The workflows are those of
production. Invariants are checked during the run. At the end, faults stop and everything must be settled.</p>
${factsAsHtml(facts)}
<h2>Failure</h2>
${failureHtml(story)}
<h2>Timeline of seed ${shown.seed}</h2>
<p>Time is not to scale: every event has the same width.</p>
${timeline(shown)}
<h2>Coverage: hits of each fault at each step</h2>
<p>A hatched cell is impossible; its tooltip gives the reason.</p>
${coverageMatrix(on, coverage)}`
  )
