import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ServiceUnavailable } from "../../../core/domain/Errors.ts"
import { StatusAnswer } from "../../../core/domain/Recovery.ts"
import { type Question, Questions } from "../../../core/ports/Histories.ts"
import { type Provider, Providers } from "../../../core/ports/Provider.ts"
import { keepRecovering, recover } from "../../../core/workflows/Recover.ts"
import { sell } from "../../../core/workflows/Sell.ts"
import { intent } from "../../support/Examples.ts"
import {
  delivery,
  fund,
  money,
  sales,
  tally,
  unansweredWithStatus,
  unsentSale,
  world
} from "../../support/InMemoryWorld.ts"

const { Delivered, NotAsked, NotFound, Refused, Unknown } = StatusAnswer

const pending = (provider: Provider, key = "k1") => sell(intent({ key }), provider)

describe("an unresolved sale", () => {
  it.effect("is looked up at 5, 15, 30 and 60 seconds and then every 5 minutes, if it is PENDING", () => {
    const { asked, dispatched, layer, provider } = world(unansweredWithStatus(() => Effect.succeed(Unknown())))
    return Effect.gen(function* () {
      yield* fund()
      yield* pending(provider)
      yield* Effect.forkChild(keepRecovering)
      yield* TestClock.adjust("1000 seconds")
      assert.deepStrictEqual(
        asked.map(({ at_s }) => at_s),
        [5, 15, 30, 60, 360, 660, 960]
      )
      assert.deepStrictEqual(yield* sales, [["RD-k1", "PENDING"]])
      assert.deepStrictEqual(dispatched, ["RD-k1"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("is looked up one minute after its start, if its process died", () => {
    const { asked, dispatched, layer } = world(unansweredWithStatus(() => Effect.succeed(Unknown())))
    return Effect.gen(function* () {
      yield* fund()
      yield* unsentSale()
      yield* Effect.forkChild(keepRecovering)
      yield* TestClock.adjust("700 seconds")
      assert.deepStrictEqual(
        asked.map(({ at_s }) => at_s),
        [60, 360, 660]
      )
      assert.deepStrictEqual(dispatched, [])
    }).pipe(Effect.provide(layer))
  })

  // the provider's answer -> status of the sale, the money, the counts of recovery
  it.effect.each([
    ["has delivered the sale", Effect.succeed(Delivered({ delivery })), "SUCCESS", [90_000, 0, 10_000], "confirmed"],
    ["refused the sale", Effect.succeed(Refused({ refusal: "INVALID_PHONE" })), "FAILED", [100_000, 0, 0], "released"],
    ["does not know the result", Effect.succeed(Unknown()), "PENDING", [90_000, 10_000, 10_000], "stillUnknown"],
    ["has not received the order yet", Effect.succeed(NotFound()), "PENDING", [90_000, 10_000, 10_000], "stillUnknown"],
    ["fails", Effect.die(new Error("reset")), "PENDING", [90_000, 10_000, 10_000], "stillUnknown"]
  ] as const)(
    "ends as the provider's answer says when the provider %s",
    ([, says, status, [available, held, consumed], counted]) => {
      const { dispatched, layer } = world(unansweredWithStatus(() => says))
      return Effect.gen(function* () {
        yield* fund()
        yield* unsentSale()
        yield* TestClock.adjust("1 minute")
        const recovered = yield* recover("due")
        assert.deepStrictEqual(recovered, tally({ [counted]: 1 }))
        assert.deepStrictEqual(yield* sales, [["RD-k1", status]])
        assert.deepStrictEqual(yield* money, { available, held, consumed })
        assert.deepStrictEqual(dispatched, [])
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("stays pending when the provider does not answer for 30 seconds", () => {
    const { layer } = world(unansweredWithStatus(() => Effect.never))
    return Effect.gen(function* () {
      yield* fund()
      yield* unsentSale()
      yield* TestClock.adjust("1 minute")
      const cycle = yield* Effect.forkChild(recover("due"))
      yield* TestClock.adjust("29999 millis")
      assert.isUndefined(cycle.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(cycle), tally({ stillUnknown: 1 }))
      assert.deepStrictEqual(yield* sales, [["RD-k1", "PENDING"]])
    }).pipe(Effect.provide(layer))
  })
})

describe("an unresolved sale without a provider", () => {
  it.effect('keeps its count of "not found" answers', () => {
    const answers = [NotFound(), NotAsked(), NotFound()]
    const { layer } = world(unansweredWithStatus(() => Effect.sync(() => answers.shift() ?? Unknown())))
    return Effect.gen(function* () {
      yield* fund()
      yield* unsentSale()
      yield* TestClock.adjust("20 minutes")
      assert.deepStrictEqual(yield* recover("due"), tally({ stillUnknown: 1 }))
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(yield* recover("due"), tally({ notAsked: 1 }))
      yield* TestClock.adjust("61 seconds")
      assert.deepStrictEqual(yield* recover("due"), tally({ released: 1 }))
    }).pipe(Effect.provide(layer))
  })

  it.effect("stays held, is counted as not asked, and keeps its schedule", () => {
    const { asked, layer } = world()
    const noted: Array<Pick<Question, "about" | "answer">> = []
    const noProvider = Layer.effect(
      Providers,
      Effect.map(Providers, (all) => ({ ...all, serving: () => Effect.fail(new ServiceUnavailable()) }))
    )
    const questions = Layer.succeed(Questions, {
      record: ({ about, answer }) => Effect.sync(() => void noted.push({ about, answer }))
    })
    return Effect.gen(function* () {
      yield* fund()
      yield* unsentSale()
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* recover("due"), tally({ notAsked: 1 }))
      assert.deepStrictEqual(yield* recover("due"), tally())
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(yield* recover("due"), tally({ notAsked: 1 }))
      assert.deepStrictEqual(asked, [])
      assert.deepStrictEqual(noted, Array(2).fill({ about: "sale", answer: "NotAsked" }))
      assert.deepStrictEqual(yield* sales, [["RD-k1", "PENDING"]])
      assert.deepStrictEqual(yield* money, { available: 90_000, held: 10_000, consumed: 10_000 })
    }).pipe(Effect.provide(Layer.merge(Layer.provideMerge(noProvider, layer), questions)))
  })
})

describe("the key of a recovered sale", () => {
  it.effect("is in progress until recovery settles the sale, then replays the response of the first call", () => {
    const { layer, provider } = world(unansweredWithStatus(() => Effect.succeed(Delivered({ delivery }))))
    return Effect.gen(function* () {
      yield* fund()
      yield* unsentSale()
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Effect.flip(pending(provider)))._tag, "RequestInProgress")
      yield* recover("due")
      const replayed = yield* pending(provider)
      assert.strictEqual(replayed.outcome._tag, "Delivered")
      assert.isTrue(replayed.replayed)
    }).pipe(Effect.provide(layer))
  })

  it.effect("keeps replaying the 202 that its caller received", () => {
    const { layer, provider } = world(unansweredWithStatus(() => Effect.succeed(Delivered({ delivery }))))
    return Effect.gen(function* () {
      yield* fund()
      const first = yield* pending(provider)
      yield* TestClock.adjust("5 seconds")
      yield* recover("due")
      assert.deepStrictEqual(yield* sales, [["RD-k1", "SUCCESS"]])
      assert.deepStrictEqual(yield* pending(provider), { outcome: first.outcome, replayed: true })
    }).pipe(Effect.provide(layer))
  })
})

describe("a sale that the provider does not know", () => {
  // The provider's answers in order, at 60 s, 360 s, 660 s, 960 s, 1260 s and 1560 s -> status of the sale after each
  // answer.
  it.effect.each([
    ["NNNNN", ["PENDING", "PENDING", "PENDING", "PENDING", "FAILED"]],
    ["NNNNUNN", ["PENDING", "PENDING", "PENDING", "PENDING", "PENDING", "PENDING", "FAILED"]],
    ["NNNUNN", ["PENDING", "PENDING", "PENDING", "PENDING", "PENDING", "FAILED"]],
    ["NNNND", ["PENDING", "PENDING", "PENDING", "PENDING", "SUCCESS"]],
    ["UUUUN", ["PENDING", "PENDING", "PENDING", "PENDING", "PENDING"]]
  ] as const)('is released only after 15 minutes and two "not found" answers in a row: %s', ([script, expected]) => {
    const answers = { N: NotFound(), U: Unknown(), D: Delivered({ delivery }) }
    let next = 0
    const { layer } = world(
      unansweredWithStatus(() => Effect.sync(() => answers[script[next++] as keyof typeof answers] ?? Unknown()))
    )
    return Effect.gen(function* () {
      yield* fund()
      yield* unsentSale()
      const stands: Array<string> = []
      yield* TestClock.adjust("1 minute")
      for (const _ of script) {
        yield* recover("due")
        for (const [, status] of yield* sales) stands.push(status)
        yield* TestClock.adjust("5 minutes")
      }
      assert.deepStrictEqual(stands, [...expected])
    }).pipe(Effect.provide(layer))
  })
})
