import { type Html, html } from "../../facade/docs/Html.ts"
import { type Backend, cellOf, impossible, stepsOn } from "../faults/Cell.ts"
import { allFaults, faults } from "../faults/Fault.ts"
import type { Coverage } from "../run/Coverage.ts"

/** Cells with fewer hits are marked as rare. */
const few = 10

/** A table of how often each fault hit each step. Impossible cells show the reason. */
export const matrix = (backend: Backend, coverage: Coverage): Html => {
  const most = Math.max(1, ...coverage.values())
  const rows = stepsOn(backend).map((step) => {
    const cells = allFaults.map((fault) => {
      const never = impossible(step, fault)
      if (never !== null) return html`<td class="never" title="${never}">·</td>`
      const cell = cellOf(step, fault)
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
