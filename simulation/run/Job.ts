import type { Violation } from "../engine/Sim.ts"
import { type Result, simulate } from "../engine/Simulation.ts"
import type { Cell } from "../faults/Cell.ts"
import { generate } from "../ops/Generate.ts"

/** One seed to run. */
export interface Job {
  readonly seed: number
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

/** Runs a seed as it is generated. */
export const runJob = ({ ops, seed }: Job): Promise<Result> => simulate(seed, generate(seed, ops))

export const outcomeOf = ({ mishaps, seed, steps, trace, violation }: Result): Outcome => ({
  seed,
  digest: trace.digest,
  violation,
  hits: [...mishaps.hits],
  steps
})
