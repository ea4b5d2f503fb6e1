import type { Result } from "../course/Simulation.ts"
import type { Violation } from "../engine/Sim.ts"
import type { Backend, Cell } from "../faults/Cell.ts"
import { mutantOf } from "../mutants/All.ts"
import { generate } from "../ops/Generate.ts"
import { runOn } from "./RunOn.ts"

/** One seed to run. */
export interface Run {
  readonly seed: number
  readonly ops: number
  readonly on: Backend
}

/** A planted bug to find, by the first of so many seeds that finds it. */
export interface MutantJob {
  readonly mutant: string
  /** The first seed. */
  readonly seed: number
  readonly seeds: number
  readonly ops: number
}

/** What is told of a run to whoever asked for it. */
export interface Outcome {
  readonly seed: number
  readonly digest: string
  readonly violation: Violation | null
  readonly hits: ReadonlyArray<readonly [Cell, number]>
  readonly steps: number
}

/** What came of a planted bug. */
export interface MutantResult {
  readonly mutant: string
  readonly on: Backend
  /** The seed and the law that caught it; null when it survived. */
  readonly caught: { readonly seed: number; readonly law: string; readonly what: string } | null
}

/** Runs a seed as it is generated. */
export const runSeed = ({ on, ops, seed }: Run): Promise<Result> => runOn(on, seed, generate(seed, ops))

/** The same in short: a whole trace would be too much to send to another thread. */
export const outcomeOf = ({ mishaps, seed, steps, trace, violation }: Result): Outcome => ({
  seed,
  digest: trace.digest,
  violation,
  hits: [...mishaps.hits],
  steps
})

/** Looks for a seed that finds the bug. */
export const runMutant = async ({ mutant: name, ops, seed: first, seeds }: MutantJob): Promise<MutantResult> => {
  const mutant = mutantOf(name)
  const { on } = mutant
  for (let seed = first; seed < first + seeds; seed++) {
    const { violation } = await runOn(on, seed, generate(seed, ops), { mutant })
    if (violation !== null) return { mutant: name, on, caught: { seed, law: violation.law, what: violation.what } }
  }
  return { mutant: name, on, caught: null }
}
