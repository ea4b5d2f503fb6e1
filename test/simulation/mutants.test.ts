import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mutants } from "../../simulation/mutants/All.ts"
import { runMutants } from "../../simulation/run/MutationRun.ts"
import { patched } from "../../simulation/store/sql/Patch.ts"
import { quietly, threads, timeout_ms } from "./Running.ts"

const onSql = mutants.flatMap((mutant) => (mutant.on === "sql" ? [mutant] : []))

describe("a mutant", () => {
  it.live(
    "is caught in memory within 60 seeds",
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

  it.each(onSql)("changes one place of an SQL function: $name", ({ patch }) => {
    assert.include(patched(patch), patch.to)
  })
})
