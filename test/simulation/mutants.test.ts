import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mutants } from "../../simulation/mutants/All.ts"
import { runMutants } from "../../simulation/run/MutationRun.ts"
import { patched } from "../../simulation/store/sql/Patch.ts"
import { quietly, threads, timeout_ms } from "./Running.ts"

const onSql = mutants.flatMap((mutant) => (mutant.on === "sql" ? [mutant] : []))

describe("a planted bug", () => {
  it.live(
    "is caught in memory by one of the first seeds, whichever it is",
    () =>
      Effect.gen(function* () {
        const { results, survivors } = yield* quietly(
          runMutants({ seeds: 60, ops: 200, seed: 0, on: "memory", threads })
        )
        assert.isAtLeast(results.length, 30)
        assert.isEmpty(survivors)
      }),
    timeout_ms
  )

  it.each(onSql)("is one change of a function: $name", ({ patch }) => {
    assert.include(patched(patch), patch.to)
  })
})
