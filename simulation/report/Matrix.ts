import { type Html, html } from "../../facade/docs/Html.ts"
import { cellOf, impossible } from "../faults/Cell.ts"
import { allFaults, faults } from "../faults/Fault.ts"
import { allSteps } from "../faults/Step.ts"
import { type Coverage, thin } from "../run/Coverage.ts"

/** How often each fault was at each step, and where it cannot be, with the reason. */
export const matrix = (coverage: Coverage): Html => {
  const few = new Set(thin(coverage))
  const most = Math.max(1, ...coverage.values())
  const rows = allSteps.map((step) => {
    const cells = allFaults.map((fault) => {
      const never = impossible(step, fault)
      if (never !== null) return html`<td class="never" title="${never}">·</td>`
      const cell = cellOf(step, fault)
      const hits = coverage.get(cell) ?? 0
      if (few.has(cell)) return html`<td class="thin" title="${cell}">${hits}</td>`
      const shade = (0.12 + 0.5 * Math.sqrt(hits / most)).toFixed(2)
      return html`<td style="background: rgba(var(--cell), ${shade})" title="${cell}">${hits}</td>`
    })
    return html`<tr><td>${step}</td>${cells}</tr>`
  })
  const heads = allFaults.map((fault) => html`<th title="${faults[fault]}">${fault}</th>`)
  return html`<div class="scroll"><table class="matrix"><tr><th>step</th>${heads}</tr>${rows}</table></div>`
}
