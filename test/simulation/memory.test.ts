import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCampaign } from "./campaign/Campaign.ts"
import { runSeed } from "./campaign/Job.ts"
import { quietly, threads, timeout_ms } from "./TestRun.ts"

/**
 * Number of seeds. Each focus has one of them. `npm run prove` runs thousands of seeds, and demands that each possible fault
 * hits each step ten times.
 */
const seeds = 58

describe("the simulation in memory", () => {
  it.live(
    `violates no invariant under the faults of ${seeds} seeds`,
    () =>
      Effect.gen(function* () {
        const { coverage, failed, outcomes } = yield* quietly(
          runCampaign({ seeds, ops: 200, seed: 0, on: "memory", threads })
        )
        assert.isNull(failed)
        assert.lengthOf(outcomes, seeds)
        const missed = [...coverage].flatMap(([cell, hits]) => (hits === 0 ? cell : []))
        assert.isEmpty(missed, "every fault hit every step at which it is possible")
      }),
    timeout_ms
  )

  it.live("repeats a run exactly for the same seed", () =>
    Effect.promise(async () => {
      const run = { seed: 4711, ops: 150, on: "memory" } as const
      const [one, two, other] = [await runSeed(run), await runSeed(run), await runSeed({ ...run, seed: 4712 })]
      assert.deepStrictEqual(one.trace.lines, two.trace.lines)
      assert.notStrictEqual(one.trace.digest, other.trace.digest)
    })
  )
})
