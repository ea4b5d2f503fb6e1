import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCampaign } from "./campaign/Campaign.ts"
import { runMutant, runSeed, type SeedJob } from "./campaign/Job.ts"
import { type FaultAtStep, faultsAtStepsOn } from "./engine/Faults.ts"
import { cellMutants } from "./mutants/CellMutants.ts"
import { quietly, threads, timeout_ms } from "./TestRun.ts"

const ops = 200
const on = "sql"

/** Runs that together reach every wire step: deposits, adjustments, sales, reversals, closings and messages. */
const runs = [
  { seed: 40, ops, on },
  { seed: 130, ops, on },
  { seed: 9, ops: 40, on }
] as const

/**
 * Further runs, in which connections break equally often. If the order of events changes, the runs above may miss a rare
 * step. Then these runs start, one after the other, until every step is reached.
 */
const spareRuns = [14, 18, 142, 6, 193, 108, 115].map((seed) => ({ seed, ops, on }) as const)

/** A seed in which operators close cells. In seed 0 they close none. */
const closingSeed = 2

/** The seeds that catch bugs of cells. Seed 0 catches each bug without an entry. */
const catchingSeeds: Readonly<Record<string, number>> = {
  "cells: a company of a closed cell sells": closingSeed,
  "cells: money functions and triggers accept writes in a closed cell": closingSeed,
  "cells: recovery asks about the sales of a closed company": closingSeed,
  "cells: the events of a closed company are delivered": 8
}

describe("the simulation on the SQL functions", () => {
  it.live(
    "violates no invariant, and repeats a run exactly in another Postgres",
    () =>
      Effect.promise(async () => {
        const missed = new Set<FaultAtStep>(faultsAtStepsOn(on).filter((cell) => cell.startsWith("wire")))
        const digestOf = async (run: SeedJob) => {
          const { faults, trace, violation } = await runSeed(run)
          assert.isNull(violation, `seed ${run.seed}`)
          for (const [cell] of faults.hits) missed.delete(cell)
          return trace.digest
        }
        const digests: Array<string> = []
        for (const run of runs) digests.push(await digestOf(run))
        for (const run of spareRuns) if (missed.size > 0) await digestOf(run)
        assert.isEmpty(
          missed,
          "connections broke before and after the commit of every statement that an adapter retries"
        )
        // Repeats the second run, which takes half the time of the first run. The second run used a Postgres in which another
        // run had ended.
        const elsewhere = await Effect.runPromise(quietly(runCampaign({ ...runs[1], seeds: 1, threads })))
        assert.isDefined(digests[1])
        assert.strictEqual(elsewhere.outcomes[0]?.digest, digests[1])
      }),
    timeout_ms
  )

  it.live(
    "refuses calls while a cell is closed, and violates no invariant",
    () =>
      Effect.promise(async () => {
        const { trace, violation } = await runSeed({ seed: closingSeed, ops: 100, on })
        assert.isNull(violation)
        assert.isAbove(trace.lines.filter(({ what }) => what.endsWith("→ CompanyClosed")).length, 1)
      }),
    timeout_ms
  )

  it.live(
    "catches a bug planted into an SQL function, and removes it before the next run",
    () =>
      Effect.promise(async () => {
        const run = { seed: 0, ops: 30, on } as const
        const before = await runSeed(run)
        const mutant = "SQL: a later settlement replaces the response of a key"
        const { caught } = await runMutant({ mutant, seed: 1, seeds: 1, ops })
        const after = await runSeed(run)
        assert.strictEqual(caught?.invariant, "a key always gets the same response")
        assert.isNull(before.violation)
        assert.strictEqual(after.trace.digest, before.trace.digest)
      }),
    timeout_ms
  )

  it.live.each(cellMutants)(
    "catches a bug in the cells: $name",
    ({ name }) =>
      Effect.promise(async () => {
        const { caught } = await runMutant({ mutant: name, seed: catchingSeeds[name] ?? 0, seeds: 1, ops: 100 })
        assert.isNotNull(caught)
      }),
    timeout_ms
  )
})
