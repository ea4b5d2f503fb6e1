import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runMutants } from "./campaign/Campaign.ts"
import { allMutants } from "./mutants/AllMutants.ts"
import { patchedFunction } from "./sql/InProcessPostgres.ts"
import { quietly, threads, timeout_ms } from "./TestRun.ts"

const onSql = allMutants.flatMap((mutant) => (mutant.on === "sql" ? [mutant] : []))

/**
 * The seeds at which the search begins for the mutants that few seeds catch. `npm run simulate -- --mutants` begins at
 * seed 0 for every mutant.
 */
const firstSeeds = {
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

  it.each(onSql)("changes one place of an SQL function: $name", ({ patch }) => {
    assert.include(patchedFunction(patch), patch.to)
  })
})
