import type { Result } from "../course/Simulation.ts"
import type { Violation } from "../engine/Sim.ts"
import type { Backend, Cell } from "../faults/Cell.ts"
import { mutantOf } from "../mutants/All.ts"
import { generate } from "../ops/Generate.ts"
import { runOn } from "./RunOn.ts"

/** A seed to run. */
export interface Run {
  readonly seed: number
  readonly ops: number
  readonly on: Backend
}

/** A mutant to test with consecutive seeds, until one catches it. */
export interface MutantJob {
  readonly mutant: string
  /** The first seed. */
  readonly seed: number
  readonly seeds: number
  readonly ops: number
}

/** A run's result in the form that a worker thread returns. */
export interface Outcome {
  readonly seed: number
  readonly digest: string
  readonly violation: Violation | null
  readonly hits: ReadonlyArray<readonly [Cell, number]>
  readonly steps: number
}

/** The result of a mutant. */
export interface MutantResult {
  readonly mutant: string
  readonly on: Backend
  /** The seed and the invariant that caught it; null when it survived. */
  readonly caught: { readonly seed: number; readonly law: string; readonly what: string } | null
}

/** Runs the generated operations of a seed. */
export const runSeed = ({ on, ops, seed }: Run): Promise<Result> => runOn(on, seed, generate(seed, ops))

/** Drops the trace and keeps its digest, because a whole trace is too large to pass between threads. */
export const outcomeOf = ({ mishaps, seed, steps, trace, violation }: Result): Outcome => ({
  seed,
  digest: trace.digest,
  violation,
  hits: [...mishaps.hits],
  steps
})

/** Runs consecutive seeds on a mutant until one catches it. */
export const runMutant = async ({ mutant: name, ops, seed: first, seeds }: MutantJob): Promise<MutantResult> => {
  const mutant = mutantOf(name)
  const { on } = mutant
  for (let seed = first; seed < first + seeds; seed++) {
    const { violation } = await runOn(on, seed, generate(seed, ops), { mutant })
    if (violation !== null) return { mutant: name, on, caught: { seed, law: violation.law, what: violation.what } }
  }
  return { mutant: name, on, caught: null }
}
