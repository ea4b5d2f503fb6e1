import { createHash } from "node:crypto"
import { Effect, Ref } from "effect"
import type { Backend, Cell } from "../faults/Cell.ts"
import { type Coverage, merged, thin } from "./Coverage.ts"
import type { Outcome, Run } from "./Job.ts"
import { doAll } from "./Pool.ts"
import { progressOf } from "./Progress.ts"

/** The parameters of a campaign. */
export interface Plan {
  readonly seeds: number
  readonly ops: number
  /** The first seed. */
  readonly seed: number
  readonly on: Backend
  /** Number of threads. The result does not depend on it. */
  readonly threads: number
}

/** The result of many runs. */
export interface Campaign {
  readonly plan: Plan
  readonly outcomes: ReadonlyArray<Outcome>
  /** The run with the lowest seed that violated an invariant. */
  readonly failed: Outcome | null
  readonly coverage: Coverage
  /** Digest of all traces, in the order of seeds. Equal plans give equal digests. */
  readonly digest: string
  /** Combinations of step and fault that happened less often than a campaign of this length demands. */
  readonly thin: ReadonlyArray<Cell>
}

const jobsOf = ({ on, ops, seed, seeds }: Plan): ReadonlyArray<Run> =>
  Array.from({ length: seeds }, (_, n) => ({ seed: seed + n, ops, on }))

/** Runs every seed of the plan. Stops early when an invariant is violated. */
export const campaign = Effect.fn("Campaign.campaign")(function* (plan: Plan) {
  const step = yield* progressOf("seeds", plan.seeds)
  const heard = yield* Ref.make<ReadonlyArray<Outcome>>([])
  yield* doAll(jobsOf(plan), plan.threads, (outcome) =>
    Ref.update(heard, (all) => [...all, outcome]).pipe(Effect.andThen(step), Effect.as(outcome.violation === null))
  )
  const outcomes = (yield* Ref.get(heard)).toSorted((left, right) => left.seed - right.seed)
  const failed = outcomes.find(({ violation }) => violation !== null) ?? null
  const hits = outcomes.map((outcome) => outcome.hits)
  const coverage = merged(plan.on, hits)
  const digest = createHash("sha256")
  for (const outcome of outcomes) digest.update(`${outcome.seed} ${outcome.digest}\n`)
  return {
    plan,
    outcomes,
    failed,
    coverage,
    digest: digest.digest("hex").slice(0, 16),
    thin: failed === null ? thin(plan.on, plan.seeds * plan.ops, coverage) : []
  } satisfies Campaign
})
