import { createHash } from "node:crypto"
import { Effect, Ref } from "effect"
import { progressByCount } from "../../support/Progress.ts"
import { type Backend, type FaultAtStep, faultsAtStepsOn } from "../engine/Faults.ts"
import { allMutants } from "../mutants/AllMutants.ts"
import type { MutantJob, MutantResult, SeedJob, SeedOutcome } from "./Job.ts"
import { runJobs } from "./WorkerPool.ts"

/**
 * The minimum number of hits for each combination of step and fault. It applies to campaigns of at least `from_ops`
 * operations.
 */
interface Demand {
  readonly from_ops: number
  readonly hits_min: number
}

/**
 * The required coverage, by backend. A campaign with fewer than `from_ops` operations only reports its coverage. SQL
 * requires less, because its runs take ten times as long and use the same workflows as runs in memory.
 */
export const demands: Readonly<Record<Backend, ReadonlyArray<Demand>>> = {
  memory: [
    { from_ops: 20_000, hits_min: 2 },
    { from_ops: 40_000, hits_min: 5 },
    { from_ops: 60_000, hits_min: 10 }
  ],
  sql: [
    { from_ops: 20_000, hits_min: 1 },
    { from_ops: 50_000, hits_min: 10 }
  ]
}

/** How often each fault hit each step. */
export type Coverage = ReadonlyMap<FaultAtStep, number>

const mergeCoverage = (backend: Backend, parts: Iterable<Iterable<readonly [FaultAtStep, number]>>): Coverage => {
  const all = new Map<FaultAtStep, number>(faultsAtStepsOn(backend).map((cell) => [cell, 0]))
  for (const part of parts) for (const [cell, hits] of part) all.set(cell, (all.get(cell) ?? 0) + hits)
  return all
}

/** The combinations of step and fault that were hit less often than required for this number of operations. */
const rareFaults = (backend: Backend, operations: number, coverage: Coverage): ReadonlyArray<FaultAtStep> => {
  const asked = demands[backend].filter(({ from_ops }) => operations >= from_ops)
  const hits_min = Math.max(0, ...asked.map((demand) => demand.hits_min))
  return [...coverage].filter(([, hits]) => hits < hits_min).map(([cell]) => cell)
}

/** The parameters of a campaign. */
export interface CampaignPlan {
  readonly seeds: number
  readonly ops: number
  /** The first seed. */
  readonly seed: number
  readonly on: Backend
  /** Number of threads. It does not change the result. */
  readonly threads: number
}

/** The result of many runs. */
export interface Campaign {
  readonly plan: CampaignPlan
  readonly outcomes: ReadonlyArray<SeedOutcome>
  /** The run with the lowest seed that violated an invariant. */
  readonly failed: SeedOutcome | null
  readonly coverage: Coverage
  /** Digest of all traces, in the order of the seeds. Equal plans give equal digests. */
  readonly digest: string
  /** Combinations of step and fault that happened less often than required for a campaign of this length. */
  readonly thin: ReadonlyArray<FaultAtStep>
}

const seedJobs = ({ on, ops, seed, seeds }: CampaignPlan): ReadonlyArray<SeedJob> =>
  Array.from({ length: seeds }, (_, n) => ({ seed: seed + n, ops, on }))

/** Runs every seed of the plan. Stops early when an invariant is violated. */
export const runCampaign = Effect.fn("Campaign.runCampaign")(function* (plan: CampaignPlan) {
  const progress = yield* progressByCount("seeds", plan.seeds)
  const received = yield* Ref.make<ReadonlyArray<SeedOutcome>>([])
  yield* runJobs(seedJobs(plan), plan.threads, (outcome) =>
    Ref.updateAndGet(received, (all) => [...all, outcome]).pipe(
      Effect.tap((all) => progress(all.length)),
      Effect.as(outcome.violation === null)
    )
  )
  const outcomes = (yield* Ref.get(received)).toSorted((left, right) => left.seed - right.seed)
  const failed = outcomes.find(({ violation }) => violation !== null) ?? null
  const hits = outcomes.map((outcome) => outcome.hits)
  const coverage = mergeCoverage(plan.on, hits)
  const digest = createHash("sha256")
  for (const outcome of outcomes) digest.update(`${outcome.seed} ${outcome.digest}\n`)
  return {
    plan,
    outcomes,
    failed,
    coverage,
    digest: digest.digest("hex").slice(0, 16),
    thin: failed === null ? rareFaults(plan.on, plan.seeds * plan.ops, coverage) : []
  } satisfies Campaign
})

/** The parameters of a mutation run. */
export interface MutationPlan {
  /** Maximum number of seeds for each mutant. */
  readonly seeds: number
  readonly ops: number
  /** The first seed. */
  readonly seed: number
  /** The backend whose mutants are tested; null to test the mutants of all backends. */
  readonly on: Backend | null
  /** Number of threads. */
  readonly threads: number
  /** The first seeds of mutants that few seeds catch, by name. All other mutants begin at `seed`. */
  readonly firstSeeds?: Readonly<Record<string, number>>
}

/** The result of all mutants. */
export interface MutationRun {
  readonly plan: MutationPlan
  /** The results, in the order in which the mutants are listed. */
  readonly results: ReadonlyArray<MutantResult>
  readonly survivors: ReadonlyArray<MutantResult>
}

const mutantJobs = ({ firstSeeds = {}, on, ops, seed, seeds }: MutationPlan): ReadonlyArray<MutantJob> =>
  allMutants
    .filter((mutant) => on === null || mutant.on === on)
    // The SQL mutants take longest, so they start first. Otherwise some threads would be idle at the end.
    .toSorted((left, right) => Number(right.on === "sql") - Number(left.on === "sql"))
    .map(({ name }) => ({ mutant: name, seed: firstSeeds[name] ?? seed, seeds, ops }))

/** Tests each mutant against consecutive seeds. */
export const runMutants = Effect.fn("Campaign.runMutants")(function* (plan: MutationPlan) {
  const jobs = mutantJobs(plan)
  const progress = yield* progressByCount("planted bugs", jobs.length)
  const received = yield* Ref.make<ReadonlyMap<string, MutantResult>>(new Map())
  yield* runJobs(jobs, plan.threads, (found) =>
    Ref.updateAndGet(received, (all) => new Map(all).set(found.mutant, found)).pipe(
      Effect.tap((all) => progress(all.size)),
      Effect.as(true)
    )
  )
  const all = yield* Ref.get(received)
  const results = allMutants.flatMap(({ name }) => all.get(name) ?? [])
  return { plan, results, survivors: results.filter(({ caught }) => caught === null) } satisfies MutationRun
})
