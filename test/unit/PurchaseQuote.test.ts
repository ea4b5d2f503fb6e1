import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { QuoteChanged } from "../../core/ports/Ledger.ts"
import { purchase } from "../../core/workflows/Purchase.ts"
import { session } from "./support/Examples.ts"
import { insuring } from "./support/Insuring.ts"
import { wanted } from "./support/Wanted.ts"
import { fund, money } from "./support/World.ts"

describe("a purchase of a quote that is always another", () => {
  it.effect("gives up, and reserves nothing", () => {
    let readings = 0
    const { dispatched, layer } = insuring({
      ledger: (ledger) => ({
        ...ledger,
        reserve: () =>
          Effect.suspend(() => {
            readings++
            return Effect.fail(new QuoteChanged())
          })
      })
    })
    return Effect.gen(function* () {
      yield* fund()
      const exit = yield* Effect.exit(purchase(session, wanted))
      assert.isTrue(Exit.hasDies(exit))
      assert.strictEqual(readings, 10)
      assert.deepStrictEqual(dispatched, [])
      assert.deepStrictEqual(yield* money, { available: 100_000, held: 0, consumed: 0 })
    }).pipe(Effect.provide(layer))
  })
})
