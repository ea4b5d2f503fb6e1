import { Effect, Ref } from "effect"
import type { Backend } from "../faults/Cell.ts"
import { mutants } from "../mutants/All.ts"
import type { MutantJob, MutantResult } from "./Job.ts"
import { doAll } from "./Pool.ts"
import { progressOf } from "./Progress.ts"

/** How planted bugs are to be looked for. */
export interface MutationPlan {
  /** By how many seeds each, at most. */
  readonly seeds: number
  readonly ops: number
  /** The first seed. */
  readonly seed: number
  /** Only those that are planted there; null for all. */
  readonly on: Backend | null
  /** On how many threads. */
  readonly threads: number
}

/** What was found of all that was planted. */
export interface MutationRun {
  readonly plan: MutationPlan
  /** In the order in which the bugs are listed. */
  readonly results: ReadonlyArray<MutantResult>
  readonly survivors: ReadonlyArray<MutantResult>
}

const jobsOf = ({ on, ops, seed, seeds }: MutationPlan): ReadonlyArray<MutantJob> =>
  mutants
    .filter((mutant) => on === null || mutant.on === on)
    // What takes longest begins first, so that no thread waits for it at the end.
    .toSorted((left, right) => Number(right.on === "sql") - Number(left.on === "sql"))
    .map(({ name }) => ({ mutant: name, seed, seeds, ops }))

/** Plants one bug after the other, and looks for a seed that finds it. */
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
