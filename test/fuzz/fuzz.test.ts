import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { freshDatabaseUrl } from "../support/Database.ts"
import { type FuzzPlan, fuzz } from "./run/Fuzz.ts"
import { allInvariantsHeld, reportText } from "./run/Report.ts"
import { serviceOn } from "./service/ServiceUnderTest.ts"

const world = Layer.unwrap(Effect.map(freshDatabaseUrl, serviceOn))

layer(world, { excludeTestServices: true })("requests generated from the document", (it) => {
  it.effect(
    "all receive responses that the contract allows",
    () =>
      Effect.gen(function* () {
        const plan: FuzzPlan = { requests: 5_000, seed: 1_000 }
        const outcome = yield* fuzz(plan, () => Effect.void)
        assert.isTrue(allInvariantsHeld(outcome), reportText(plan, outcome))
        // No generated text is an address that a webhook may have. test/contract/sale/webhooks.test.ts uses real ones.
        const locked = outcome.coverage
          .endpoints()
          .filter(
            ({ endpoint, seen }) => !/ \/v1\/webhooks/.test(endpoint) && !seen.includes(200) && !seen.includes(201)
          )
        assert.deepStrictEqual(locked, [])
      }),
    300_000
  )
})
