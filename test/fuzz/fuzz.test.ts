import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { freshDatabaseUrl } from "../support/Database.ts"
import { type FuzzPlan, fuzz } from "./run/Fuzz.ts"
import { allInvariantsHeld, reportText } from "./run/Report.ts"
import { serviceOn } from "./service/ServiceUnderTest.ts"

const world = Layer.unwrap(Effect.map(freshDatabaseUrl, serviceOn))

layer(world, { excludeTestServices: true })("requests generated from the OpenAPI document", (it) => {
  it.effect(
    "get only responses that the contract allows, and each operation succeeds",
    () =>
      Effect.gen(function* () {
        const plan: FuzzPlan = { requests: 3_000, seed: 1_000 }
        const outcome = yield* fuzz(plan, () => Effect.void)
        assert.isTrue(allInvariantsHeld(outcome), reportText(plan, outcome))
        const neverSuccessful = outcome.coverage.endpoints().filter(({ seen }) => !seen.some((status) => status < 300))
        assert.deepStrictEqual(neverSuccessful, [])
      }),
    300_000
  )
})
