import { createHash } from "node:crypto"
import { Effect, Ref } from "effect"
import { type Coverage, isDemanded, merged, thin } from "./Coverage.ts"
import type { Job, Outcome } from "./Job.ts"
import { runAll } from "./Pool.ts"
import { progressOf } from "./Progress.ts"

/** What is to be run. */
export interface Plan {
  readonly seeds: number
  readonly ops: number
  /** The first seed. */
  readonly seed: number
}

/** What many seeds came to. */
export interface Campaign {
  readonly plan: Plan
  readonly outcomes: ReadonlyArray<Outcome>
  /** The first seed that broke a law. */
  readonly failed: Outcome | null
  readonly coverage: Coverage
  /** Of all traces, in order: the same plan gives the same digest. */
  readonly digest: string
  readonly isThin: boolean
}

const jobsOf = ({ ops, seed, seeds }: Plan): ReadonlyArray<Job> =>
  Array.from({ length: seeds }, (_, n) => ({ seed: seed + n, ops }))

/** Runs every seed of the plan; ends early when a law is broken. */
export const campaign = Effect.fn("Campaign.campaign")(function* (plan: Plan) {
  const step = yield* progressOf("seeds", plan.seeds)
  const heard = yield* Ref.make<ReadonlyArray<Outcome>>([])
  yield* runAll(jobsOf(plan), (outcome) =>
    Ref.update(heard, (all) => [...all, outcome]).pipe(Effect.andThen(step), Effect.as(outcome.violation === null))
  )
  const outcomes = (yield* Ref.get(heard)).toSorted((left, right) => left.seed - right.seed)
  const failed = outcomes.find(({ violation }) => violation !== null) ?? null
  const coverage = merged(outcomes.map(({ hits }) => hits))
  const isWhole = failed === null && isDemanded(plan.seeds * plan.ops)
  const digest = createHash("sha256")
  for (const outcome of outcomes) digest.update(`${outcome.seed} ${outcome.digest}\n`)
  return {
    plan,
    outcomes,
    failed,
    coverage,
    digest: digest.digest("hex").slice(0, 16),
    isThin: isWhole && thin(coverage).length > 0
  } satisfies Campaign
})
