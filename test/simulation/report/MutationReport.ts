import { type Html, html } from "../../../facade/docs/Html.ts"
import type { MutationRun } from "../campaign/Campaign.ts"
import type { MutantResult } from "../campaign/Job.ts"
import { factsAsHtml, htmlDocument } from "./HtmlDocument.ts"

const row = ({ caught, mutant, on }: MutantResult): Html =>
  caught === null
    ? html`<tr><td class="words">${mutant}</td><td>${on}</td><td class="survived" colspan="3">survived</td></tr>`
    : html`<tr><td class="words">${mutant}</td><td>${on}</td><td>${caught.seed}</td><td class="words">${caught.invariant}</td><td class="words">${caught.what}</td></tr>`

/** A page that lists every mutant with the seed and the invariant that caught it. */
export const mutationPage = ({ results, plan, survivors }: MutationRun): string =>
  htmlDocument(
    "Saldo simulation: planted bugs",
    html`<p>Each bug was planted alone. Seeds ran one after the other until an invariant was violated.</p>
${factsAsHtml({
  "planted bugs": `${results.length}`,
  survivors: `${survivors.length}`,
  seeds: `at most ${plan.seeds} for each bug, from seed ${plan.seed}`,
  operations: `${plan.ops} per seed`
})}
<div class="scroll"><table><tr><th>bug</th><th>backend</th><th>seed</th><th>invariant</th><th>violation</th></tr>
${results.map(row)}
</table></div>`
  )

/** A line about a mutant, with the seed and the invariant that caught it. */
const mutantText = ({ caught, mutant, on }: MutantResult): string =>
  caught === null
    ? `SURVIVED  ${on.padEnd(6)}  ${mutant}`
    : `seed ${String(caught.seed).padStart(3)}  ${on.padEnd(6)}  ${mutant}\n          ${caught.invariant}: ${caught.what}`

/** The result of all mutants as text. */
export const mutationText = ({ results, plan, survivors }: MutationRun): string =>
  [
    ...results.map(mutantText),
    "",
    survivors.length === 0
      ? `All ${results.length} planted bugs were caught.`
      : `${survivors.length} of ${results.length} planted bugs survived ${plan.seeds} seeds of ${plan.ops} operations.`
  ].join("\n")

/** The result of all mutants as a JSON document. */
export const mutationDocument = ({ results, plan, survivors }: MutationRun): Readonly<Record<string, unknown>> => ({
  seeds: plan.seeds,
  ops: plan.ops,
  seed: plan.seed,
  on: plan.on,
  mutants: results,
  survivors: survivors.map(({ mutant }) => mutant)
})
