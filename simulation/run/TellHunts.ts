import type { Hunts } from "./Hunts.ts"
import type { Catch } from "./Job.ts"

/** A bug, and what caught it. */
const wordsOf = ({ caught, mutant, on }: Catch): string =>
  caught === null
    ? `SURVIVED  ${on.padEnd(6)}  ${mutant}`
    : `seed ${String(caught.seed).padStart(3)}  ${on.padEnd(6)}  ${mutant}\n          ${caught.law}: ${caught.what}`

/** What became of the planted bugs, for a person. */
export const huntsInWords = ({ catches, plan, survivors }: Hunts): string =>
  [
    ...catches.map(wordsOf),
    "",
    survivors.length === 0
      ? `All ${catches.length} planted bugs were caught.`
      : `${survivors.length} of ${catches.length} planted bugs survived ${plan.seeds} seeds of ${plan.ops} operations.`
  ].join("\n")

/** The same as one document. */
export const huntsAsDocument = ({ catches, plan, survivors }: Hunts): Readonly<Record<string, unknown>> => ({
  seeds: plan.seeds,
  ops: plan.ops,
  seed: plan.seed,
  on: plan.on,
  mutants: catches,
  survivors: survivors.map(({ mutant }) => mutant)
})
