import type { FaultScript } from "../engine/FaultInjector.ts"
import type { Backend, FaultAtStep } from "../engine/Faults.ts"
import type { Violation } from "../engine/Simulation.ts"
import { mutantOf } from "../mutants/AllMutants.ts"
import type { Mutant } from "../mutants/Mutant.ts"
import { generateOperations } from "../operations/GenerateOperations.ts"
import type { Operation } from "../operations/Operation.ts"
import { type RunResult, simulate } from "../run/Simulate.ts"
import { type InProcessPostgres, startPostgres } from "../sql/InProcessPostgres.ts"
import { sqlStore } from "../sql/SqlStore.ts"

// The Postgres of this thread. Each thread has only one, because its start takes seconds. It is emptied before each
// run.
let sharedPostgres: Promise<InProcessPostgres> | null = null

/** Changes to a run: a script of faults that replaces the faults of the seed, or a mutant. */
interface RunChanges {
  readonly script?: FaultScript
  readonly mutant?: Mutant
}

/** Runs operations on books in memory, or on the SQL functions. */
export const runOn = async (
  backend: Backend,
  seed: number,
  ops: ReadonlyArray<Operation>,
  { mutant, script }: RunChanges = {}
): Promise<RunResult> => {
  const options = {
    ...(script === undefined ? {} : { script }),
    ...(mutant?.on === "memory" ? { variant: mutant.variant } : {})
  }
  if (backend === "memory") return simulate(seed, ops, options)
  sharedPostgres ??= startPostgres()
  const running = await sharedPostgres
  const bug = mutant?.on === "sql" ? mutant : null
  await running.reset(bug ?? {})
  return simulate(seed, ops, { ...options, store: sqlStore(running, bug ?? {}) })
}

/** A seed to run. */
export interface SeedJob {
  readonly seed: number
  readonly ops: number
  readonly on: Backend
}

/** A mutant to test with consecutive seeds, until a seed catches it. */
export interface MutantJob {
  readonly mutant: string
  /** The first seed. */
  readonly seed: number
  readonly seeds: number
  readonly ops: number
}

/** A run's result in the form that a worker thread returns. */
export interface SeedOutcome {
  readonly seed: number
  readonly digest: string
  readonly violation: Violation | null
  readonly hits: ReadonlyArray<readonly [FaultAtStep, number]>
  readonly steps: number
}

/** The result of a mutant. */
export interface MutantResult {
  readonly mutant: string
  readonly on: Backend
  /** The seed and the invariant that caught the mutant; null if the mutant survived. */
  readonly caught: { readonly seed: number; readonly invariant: string; readonly what: string } | null
}

/** Runs the generated operations of a seed. */
export const runSeed = ({ on, ops, seed }: SeedJob): Promise<RunResult> =>
  runOn(on, seed, generateOperations(seed, ops, on))

/** Drops the trace and keeps its digest, because a whole trace is too large to pass between threads. */
export const outcomeOf = ({ faults, seed, steps, trace, violation }: RunResult): SeedOutcome => ({
  seed,
  digest: trace.digest,
  violation,
  hits: [...faults.hits],
  steps
})

/** Runs a mutant with consecutive seeds until a seed catches it. */
export const runMutant = async ({ mutant: name, ops, seed: first, seeds }: MutantJob): Promise<MutantResult> => {
  const mutant = mutantOf(name)
  const { on } = mutant
  for (let seed = first; seed < first + seeds; seed++) {
    const { violation } = await runOn(on, seed, generateOperations(seed, ops, on), { mutant })
    if (violation !== null)
      return { mutant: name, on, caught: { seed, invariant: violation.invariant, what: violation.what } }
  }
  return { mutant: name, on, caught: null }
}
