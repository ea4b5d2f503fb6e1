import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ReversalAnswer, ReversalVerdict, type UnderReversal } from "../../core/domain/Reversal.ts"
import { Reversals } from "../../core/ports/Reversals.ts"
import { settlingFails } from "./support/Gone.ts"
import { type ReversalFault, reversing, sold, take } from "./support/Reversing.ts"
import { fund, money } from "./support/World.ts"

const { Confirmed, Denied, NotSent, Unknown } = ReversalAnswer

const charged = { available: 90_000, held: 0, consumed: 10_000 }
const givenBack = { available: 100_000, held: 0, consumed: 0 }

describe("a reversal that cannot be settled at once", () => {
  it.effect("is pending for its caller after 5 seconds, and settled later without being sent again", () => {
    const { layer, sent } = reversing({}, settlingFails(8))
    return Effect.gen(function* () {
      yield* fund()
      const id = yield* sold()
      const reversal = yield* Effect.forkChild(take(id))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(reversal)).outcome._tag, "Pending")
      assert.deepStrictEqual(yield* money, charged)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* money, givenBack)
      assert.lengthOf(sent, 1)
    }).pipe(Effect.provide(layer))
  })
})

describe("a provider that answers after another has settled the reversal", () => {
  const { Confirm, Deny } = ReversalVerdict

  // settled before, the provider's late answer -> what the caller hears, what is audited
  it.effect.each([
    [Deny(), Confirmed(), "Denied", ["late_reversal"]],
    [Confirm(), Denied(), "Reversed", ["late_reversal_refusal"]],
    [Confirm(), NotSent(), "Reversed", ["late_reversal_refusal"]],
    [Confirm(), Confirmed(), "Reversed", []],
    [Deny(), Denied(), "Denied", []],
    [Confirm(), Unknown(), "Reversed", []],
    [Deny(), Unknown(), "Denied", []]
  ] as const)("as %j, with %j: nothing moves, and a contradiction is audited", ([before, late, heard, actions]) => {
    const begun = Deferred.makeUnsafe<UnderReversal>()
    const reply = Deferred.makeUnsafe<ReversalAnswer>()
    const watched: ReversalFault = (reversals) => ({
      ...reversals,
      begin: (intent) =>
        Effect.tap(reversals.begin(intent), (answer) =>
          answer._tag === "Begun" ? Deferred.succeed(begun, answer.under) : Effect.void
        )
    })
    const { audited, layer } = reversing({ told: Deferred.await(reply) }, watched)
    return Effect.gen(function* () {
      yield* fund()
      const id = yield* sold()
      const reversal = yield* Effect.forkChild(take(id))
      const under = yield* Deferred.await(begun)
      const at = yield* DateTime.now
      yield* Reversals.use((reversals) => reversals.settle({ under, verdict: before, at, notFound: 0 }))
      const settled = yield* money
      yield* Deferred.succeed(reply, late)
      assert.strictEqual((yield* Fiber.join(reversal)).outcome._tag, heard)
      assert.deepStrictEqual(yield* money, settled)
      assert.deepStrictEqual(
        audited.map(({ action, details }) => [action, details["xid"]]),
        actions.map((action) => [action, under.reversal.xid])
      )
    }).pipe(Effect.provide(layer))
  })
})
