import { type Html, html } from "../../facade/docs/Html.ts"
import type { MutantResult } from "../run/Job.ts"
import type { MutationRun } from "../run/MutationRun.ts"
import { documentOf, factsAsHtml } from "./Document.ts"

const row = ({ caught, mutant, on }: MutantResult): Html =>
  caught === null
    ? html`<tr><td class="words">${mutant}</td><td>${on}</td><td class="survived" colspan="3">survived</td></tr>`
    : html`<tr><td class="words">${mutant}</td><td>${on}</td><td>${caught.seed}</td><td class="words">${caught.law}</td><td class="words">${caught.what}</td></tr>`

/** A page with every mutant, and the seed and the invariant that caught it. */
export const mutationPage = ({ results, plan, survivors }: MutationRun): string =>
  documentOf(
    "Saldo, with planted bugs",
    html`<p>Each of these bugs was planted for itself, and looked for by one seed after the other.</p>
${factsAsHtml({
  "planted bugs": `${results.length}`,
  survivors: `${survivors.length}`,
  seeds: `at most ${plan.seeds} each, from ${plan.seed}`,
  operations: `${plan.ops} a seed`
})}
<div class="scroll"><table><tr><th>bug</th><th>money kept</th><th>seed</th><th>law</th><th>what was seen</th></tr>
${results.map(row)}
</table></div>`
  )
