import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Layer } from "effect"
import { saleIn } from "../../core/domain/Sale.ts"
import { type Replay, Replays } from "../../core/ports/Replays.ts"
import { sell } from "../../core/workflows/Sell.ts"
import { company, intent } from "./support/Examples.ts"
import { fund, world } from "./support/World.ts"

describe("a caller who brings a key again", () => {
  it.effect("hears it before that is noted, and though the note breaks", () => {
    const noted: Array<Replay> = []
    const begun = Deferred.makeUnsafe<void>()
    const go = Deferred.makeUnsafe<void>()
    const { layer, provider } = world()
    const replays = Layer.succeed(Replays, {
      record: (replay) =>
        Effect.gen(function* () {
          noted.push(replay)
          yield* Deferred.succeed(begun, undefined)
          yield* Deferred.await(go)
          return yield* Effect.die(new Error("gone"))
        })
    })
    return Effect.gen(function* () {
      yield* fund()
      const { outcome } = yield* sell(intent(), provider)
      assert.deepStrictEqual(yield* sell(intent(), provider), { outcome, replayed: true })
      yield* Deferred.await(begun)
      yield* Deferred.succeed(go, undefined)
      const { transactionId } = saleIn(outcome)
      assert.deepStrictEqual(noted, [{ companyId: company.id, transactionId, about: "sale", at: yield* DateTime.now }])
    }).pipe(Effect.provide(Layer.merge(layer, replays)))
  })
})
