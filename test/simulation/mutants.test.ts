import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runMutants } from "./campaign/Campaign.ts"
import { allMutants } from "./mutants/AllMutants.ts"
import { patchedFunction } from "./sql/InProcessPostgres.ts"
import { quietly, threads, timeout_ms } from "./TestRun.ts"

const patches = allMutants.flatMap((mutant) =>
  mutant.on === "sql" && mutant.patch !== undefined ? [{ name: mutant.name, patch: mutant.patch }] : []
)

/**
 * The seeds at which the search begins for the mutants that the first two seeds do not catch. `npm run simulate --
 * --mutants` begins at seed 0 for every mutant.
 */
const firstSeeds = {
  "a correction may take more than the available amount": 20,
  "silence of the provider is treated as a denied reversal": 9,
  "a bill may be paid twice": 5,
  "later checks leave out refused sales": 4,
  "an insurance stays open after its policy was refused": 4,
  "a webhook that responds with 410 stays active": 3,
  "a correction takes held money first": 3,
  "a reversal is credited before the provider confirms it": 3,
  "an expired proposal may be confirmed": 3,
  "a later settlement replaces the response of a key": 3,
  "a deleted webhook stays active": 2,
  "a sale without a firm response is treated as not sent": 2,
  "an unreadable response is treated as a refusal": 2,
  "two concurrent calls both find their key free": 41,
  "an operator overrules the provider": 31,
  "a reversal is credited at every confirmation": 26,
  "operators can resolve a settled reversal": 30,
  "a sale may have two open reversals": 24
}

describe("a mutant", () => {
  it.live(
    "is caught in memory within 60 seeds",
    () =>
      Effect.gen(function* () {
        const { results, survivors } = yield* quietly(
          runMutants({ seeds: 60, ops: 200, seed: 0, on: "memory", threads, firstSeeds })
        )
        assert.isAtLeast(results.length, 30)
        assert.isEmpty(survivors)
      }),
    timeout_ms
  )

  it.each(patches)("changes one place of an SQL function: $name", ({ patch }) => {
    assert.include(patchedFunction(patch), patch.to)
  })
})
