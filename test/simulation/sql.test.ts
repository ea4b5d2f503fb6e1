import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCampaign } from "./campaign/Campaign.ts"
import { runMutant, runSeed } from "./campaign/Job.ts"
import { quietly, threads, timeout_ms } from "./TestRun.ts"

const ops = 200
const on = "sql"

/** Seeds whose runs reach every wire step: deposits, adjustments, sales, insurances and reversals. */
const plan = { seed: 10, seeds: 12 }

describe("the simulation on the SQL functions", () => {
  it.live(
    "violates no invariant, and repeats a run exactly in another Postgres",
    () =>
      Effect.gen(function* () {
        const { coverage, failed, outcomes } = yield* quietly(runCampaign({ ...plan, ops, on, threads }))
        assert.isNull(failed)
        assert.lengthOf(outcomes, plan.seeds)
        const missed = [...coverage].flatMap(([cell, hits]) => (cell.startsWith("wire") && hits === 0 ? [cell] : []))
        assert.isEmpty(
          missed,
          "connections broke before and after the commit of every statement that an adapter retries"
        )
        const again = yield* Effect.promise(() => runSeed({ seed: plan.seed, ops, on }))
        assert.strictEqual(again.trace.digest, outcomes[0]?.digest)
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
})
