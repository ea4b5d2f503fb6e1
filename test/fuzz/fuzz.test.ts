import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { isSound, wordsOf } from "../../fuzz/report/Report.ts"
import { fuzz, type Plan } from "../../fuzz/run/Fuzz.ts"
import { worldOn } from "../../fuzz/world/World.ts"
import { freshDatabaseUrl } from "../support/Database.ts"

const world = Layer.unwrap(Effect.map(freshDatabaseUrl, worldOn))

layer(world, { excludeTestServices: true })("requests that the document leads to", (it) => {
  it.effect(
    "are all answered as the contract says",
    () =>
      Effect.gen(function* () {
        const plan: Plan = { requests: 5_000, seed: 1_000 }
        const outcome = yield* fuzz(plan, () => Effect.void)
        assert.isTrue(isSound(outcome), wordsOf(plan, outcome))
        const locked = outcome.coverage.doors().filter(({ seen }) => !seen.includes(200) && !seen.includes(201))
        assert.deepStrictEqual(locked, [])
      }),
    300_000
  )
})
