import type { MutantResult } from "../run/Job.ts"
import type { MutationRun } from "../run/MutationRun.ts"

/** A mutant, and the seed and invariant that caught it. */
const wordsOf = ({ caught, mutant, on }: MutantResult): string =>
  caught === null
    ? `SURVIVED  ${on.padEnd(6)}  ${mutant}`
    : `seed ${String(caught.seed).padStart(3)}  ${on.padEnd(6)}  ${mutant}\n          ${caught.law}: ${caught.what}`

/** The result of all mutants as text. */
export const mutationInWords = ({ results, plan, survivors }: MutationRun): string =>
  [
    ...results.map(wordsOf),
    "",
    survivors.length === 0
      ? `All ${results.length} planted bugs were caught.`
      : `${survivors.length} of ${results.length} planted bugs survived ${plan.seeds} seeds of ${plan.ops} operations.`
  ].join("\n")

/** The result of all mutants as a JSON document. */
export const mutationAsDocument = ({ results, plan, survivors }: MutationRun): Readonly<Record<string, unknown>> => ({
  seeds: plan.seeds,
  ops: plan.ops,
  seed: plan.seed,
  on: plan.on,
  mutants: results,
  survivors: survivors.map(({ mutant }) => mutant)
})
