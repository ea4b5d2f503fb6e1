import { Effect, Ref } from "effect"
import type { Backend } from "../faults/Cell.ts"
import { mutants } from "../mutants/All.ts"
import type { MutantJob, MutantResult } from "./Job.ts"
import { doAll } from "./Pool.ts"
import { progressOf } from "./Progress.ts"

/** The parameters of a mutation run. */
export interface MutationPlan {
  /** Maximum number of seeds for each mutant. */
  readonly seeds: number
  readonly ops: number
  /** The first seed. */
  readonly seed: number
  /** Tests only the mutants of this backend; null tests all. */
  readonly on: Backend | null
  /** Number of threads. */
  readonly threads: number
}

/** The result of all mutants. */
export interface MutationRun {
  readonly plan: MutationPlan
  /** In the order in which the mutants are listed. */
  readonly results: ReadonlyArray<MutantResult>
  readonly survivors: ReadonlyArray<MutantResult>
}

const jobsOf = ({ on, ops, seed, seeds }: MutationPlan): ReadonlyArray<MutantJob> =>
  mutants
    .filter((mutant) => on === null || mutant.on === on)
    // The SQL mutants take longest and start first, so that no thread idles at the end.
    .toSorted((left, right) => Number(right.on === "sql") - Number(left.on === "sql"))
    .map(({ name }) => ({ mutant: name, seed, seeds, ops }))

/** Tests each mutant against consecutive seeds. */
export const runMutants = Effect.fn("MutationRun.runMutants")(function* (plan: MutationPlan) {
  const jobs = jobsOf(plan)
  const step = yield* progressOf("planted bugs", jobs.length)
  const heard = yield* Ref.make<ReadonlyMap<string, MutantResult>>(new Map())
  yield* doAll(jobs, plan.threads, (found) =>
    Ref.update(heard, (all) => new Map(all).set(found.mutant, found)).pipe(Effect.andThen(step), Effect.as(true))
  )
  const all = yield* Ref.get(heard)
  const results = mutants.flatMap(({ name }) => all.get(name) ?? [])
  return { plan, results, survivors: results.filter(({ caught }) => caught === null) } satisfies MutationRun
})
