import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { campaign } from "../../simulation/run/Campaign.ts"
import { runJob } from "../../simulation/run/Job.ts"

describe("a simulated world", () => {
  it.live("breaks no law, whatever its seed lets go wrong", () =>
    Effect.gen(function* () {
      const { coverage, failed, outcomes } = yield* campaign({ seeds: 60, ops: 200, seed: 1 })
      assert.isNull(failed)
      assert.lengthOf(outcomes, 60)
      const missed = [...coverage].flatMap(([cell, hits]) => (hits === 0 ? [cell] : []))
      assert.isEmpty(missed, "every fault happens at every step that it can happen at")
    })
  )

  it.live("goes the same way to the letter when its seed is run again", () =>
    Effect.promise(async () => {
      const job = { seed: 4711, ops: 150 }
      const [one, two, other] = [await runJob(job), await runJob(job), await runJob({ ...job, seed: 4712 })]
      assert.strictEqual(one.trace.digest, two.trace.digest)
      assert.notStrictEqual(one.trace.digest, other.trace.digest)
    })
  )
})
