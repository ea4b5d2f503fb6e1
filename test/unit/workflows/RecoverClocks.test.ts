import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { StatusAnswer } from "../../../core/domain/Recovery.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import { delivery, fund, sales, tally, unansweredWithStatus, unsentSale, world } from "../../support/InMemoryWorld.ts"

const { Delivered, NotFound, Unknown } = StatusAnswer

describe("an unresolved sale that the provider does not know", () => {
  it.effect('is not released by two "not found" answers that are less than five minutes apart', () => {
    const { layer } = world(unansweredWithStatus(() => Effect.succeed(NotFound())))
    return Effect.gen(function* () {
      yield* fund()
      yield* unsentSale()
      yield* TestClock.adjust("16 minutes")
      assert.deepStrictEqual(yield* recover("due"), tally({ stillUnknown: 1 }))
      for (const _ of [1, 2, 3]) {
        yield* TestClock.adjust("61 seconds")
        assert.deepStrictEqual(yield* recover("all"), tally({ stillUnknown: 1 }))
      }
      assert.deepStrictEqual(yield* sales, [["RD-k1", "PENDING"]])
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* recover("due"), tally({ released: 1 }))
    }).pipe(Effect.provide(layer))
  })

  it.effect.each([
    ["due", Unknown()],
    ["all", Unknown()],
    ["due", NotFound()],
    ["all", NotFound()]
  ] as const)(
    "is looked up once (due) or at most twice (all) by a cycle for %s sales that sets the clock back once",
    ([which, says]) => {
      let back = false
      const { asked, layer } = world(
        unansweredWithStatus(() => {
          if (back || asked.length > 20) return Effect.succeed(says)
          back = true
          return Effect.as(
            Effect.suspend(() => TestClock.setTime(Duration.toMillis("20 minutes"))),
            says
          )
        })
      )
      return Effect.gen(function* () {
        yield* fund()
        yield* unsentSale()
        yield* TestClock.adjust("30 minutes")
        yield* recover(which)
        assert.isAtMost(asked.length, which === "due" ? 1 : 2)
        assert.deepStrictEqual(yield* sales, [["RD-k1", "PENDING"]])
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect.each([["due"], ["all"]] as const)(
    "is looked up at most twice by a cycle for %s sales, even if every status query sets the clock back",
    ([which]) => {
      const { asked, layer } = world(
        unansweredWithStatus(() =>
          Effect.as(
            TestClock.setTime(Duration.toMillis("20 minutes") + asked.length * 10),
            asked.length > 20 ? Delivered({ delivery }) : Unknown()
          )
        )
      )
      return Effect.gen(function* () {
        yield* fund()
        yield* unsentSale()
        yield* TestClock.adjust("30 minutes")
        yield* recover(which)
        assert.isAtMost(asked.length, 2)
        assert.deepStrictEqual(yield* sales, [["RD-k1", "PENDING"]])
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("is released even if a process whose clock was one year ahead looked it up once", () => {
    const { layer } = world(unansweredWithStatus(() => Effect.succeed(NotFound())))
    return Effect.gen(function* () {
      yield* fund()
      yield* unsentSale()
      yield* TestClock.setTime(Duration.toMillis("365 days"))
      assert.deepStrictEqual(yield* recover("due"), tally({ stillUnknown: 1 }))
      yield* TestClock.setTime(Duration.toMillis("20 minutes"))
      assert.deepStrictEqual(yield* recover("all"), tally({ stillUnknown: 1 }))
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(yield* recover("all"), tally({ stillUnknown: 1 }))
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(yield* recover("all"), tally({ released: 1 }))
    }).pipe(Effect.provide(layer))
  })
})
