import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ServiceUnavailable } from "../../../core/domain/Errors.ts"
import { type Question, Questions } from "../../../core/ports/Histories.ts"
import { Providers } from "../../../core/ports/Provider.ts"
import { keepRecovering, recover } from "../../../core/workflows/Recover.ts"
import { fund, money, sales, tally, unsentSale, world } from "../../support/InMemoryWorld.ts"
import { operations, type Reply, reversalWorld, reverseSale, sold } from "../support/Operations.ts"

describe.each(operations)("$operation without an outcome", (operation) => {
  it.effect("is looked up at 5, 15, 30 and 60 seconds and then every 5 minutes, if it is pending", () => {
    const { askedAt_s, layer, prepare, sent } = operation.world({ told: Effect.succeed("unknown") })
    return Effect.gen(function* () {
      yield* fund()
      const { call } = yield* prepare()
      yield* call
      yield* Effect.forkChild(keepRecovering)
      yield* TestClock.adjust("1000 seconds")
      assert.deepStrictEqual(askedAt_s, [5, 15, 30, 60, 360, 660, 960])
      assert.deepStrictEqual(yield* sales, [["RD-k1", operation.unknown.status]])
      assert.deepStrictEqual(yield* money, operation.unknown.money)
      assert.lengthOf(sent, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is looked up one minute after its start and never sent, if its process died", () => {
    const { askedAt_s, layer, prepare, sent } = operation.world()
    return Effect.gen(function* () {
      yield* fund()
      const { unsent } = yield* prepare()
      yield* unsent
      yield* Effect.forkChild(keepRecovering)
      yield* TestClock.adjust("700 seconds")
      assert.deepStrictEqual(askedAt_s, [60, 360, 660])
      assert.deepStrictEqual(sent, [])
    }).pipe(Effect.provide(layer))
  })

  it.effect.each<readonly [string, Effect.Effect<Reply>, "done" | "refused" | "unknown"]>([
    ["has done it", Effect.succeed("done"), "done"],
    ["refused it", Effect.succeed("refused"), "refused"],
    ["does not know the result", Effect.succeed("unknown"), "unknown"],
    ["has not received it yet", Effect.succeed("not found"), "unknown"],
    ["fails", Effect.die(new Error("reset")), "unknown"]
  ])("ends as the provider's answer says when the provider %s", ([, asked, end]) => {
    const { layer, prepare, sent } = operation.world({ asked })
    return Effect.gen(function* () {
      yield* fund()
      const { unsent } = yield* prepare()
      yield* unsent
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* recover("due"), tally({ [operation[end].counted]: 1 }))
      assert.deepStrictEqual(yield* sales, [["RD-k1", operation[end].status]])
      assert.deepStrictEqual(yield* money, operation[end].money)
      assert.deepStrictEqual(sent, [])
    }).pipe(Effect.provide(layer))
  })

  it.effect("stays unresolved and is counted as not asked when the provider cannot be reached", () => {
    const { layer, prepare } = operation.world({ asked: Effect.succeed("not sent") })
    return Effect.gen(function* () {
      yield* fund()
      const { unsent } = yield* prepare()
      yield* unsent
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* recover("due"), tally({ notAsked: 1 }))
      assert.deepStrictEqual(yield* sales, [["RD-k1", operation.unknown.status]])
      assert.deepStrictEqual(yield* money, operation.unknown.money)
    }).pipe(Effect.provide(layer))
  })

  it.effect("stays unresolved when the provider does not answer for 30 seconds", () => {
    const { layer, prepare } = operation.world({ asked: Effect.never })
    return Effect.gen(function* () {
      yield* fund()
      const { unsent } = yield* prepare()
      yield* unsent
      yield* TestClock.adjust("1 minute")
      const cycle = yield* Effect.forkChild(recover("due"))
      yield* TestClock.adjust("29999 millis")
      assert.isUndefined(cycle.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(cycle), tally({ stillUnknown: 1 }))
      assert.deepStrictEqual(yield* sales, [["RD-k1", operation.unknown.status]])
    }).pipe(Effect.provide(layer))
  })

  // Left: the provider's answers in order, at 60 s and then every 300 s (n = not found, u = unknown, s = not sent, d = done).
  // Right: what recovery counts for each answer (u = unknown, s = not sent, r = refused, d = done).
  it.effect.each([
    ["nnnnn", "uuuur"],
    ["nnnnunn", "uuuuuur"],
    ["nnnunn", "uuuuur"],
    ["nnnnsn", "uuuusr"],
    ["nnnnd", "uuuud"],
    ["uuuun", "uuuuu"]
  ] as const)(
    'is refused only after 15 minutes and two "not found" answers in a row: %s is counted as %s',
    ([script, expected]) => {
      const replies: { readonly [letter: string]: Reply } = { n: "not found", u: "unknown", s: "not sent", d: "done" }
      const answers = [...script]
      const { layer, prepare } = operation.world({
        asked: Effect.sync(() => replies[answers.shift() ?? ""] ?? "unknown")
      })
      const ends = {
        u: operation.unknown,
        s: { ...operation.unknown, counted: "notAsked" },
        r: operation.refused,
        d: operation.done
      }
      return Effect.gen(function* () {
        yield* fund()
        const { unsent } = yield* prepare()
        yield* unsent
        yield* TestClock.adjust("1 minute")
        for (const letter of expected) {
          const { counted, money: left, status } = ends[letter as keyof typeof ends]
          assert.deepStrictEqual(yield* recover("due"), tally({ [counted]: 1 }))
          assert.deepStrictEqual(yield* sales, [["RD-k1", status]])
          assert.deepStrictEqual(yield* money, left)
          yield* TestClock.adjust("5 minutes")
        }
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect('keeps its count of "not found" answers when the provider cannot be reached in between', () => {
    const replies: Array<Reply> = ["not found", "not sent", "not found"]
    const { layer, prepare } = operation.world({ asked: Effect.sync(() => replies.shift() ?? "unknown") })
    return Effect.gen(function* () {
      yield* fund()
      const { unsent } = yield* prepare()
      yield* unsent
      yield* TestClock.adjust("20 minutes")
      assert.deepStrictEqual(yield* recover("due"), tally({ stillUnknown: 1 }))
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(yield* recover("due"), tally({ notAsked: 1 }))
      yield* TestClock.adjust("61 seconds")
      assert.deepStrictEqual(yield* recover("due"), tally({ [operation.refused.counted]: 1 }))
    }).pipe(Effect.provide(layer))
  })

  it.effect("is looked up again when the lease ends, if the answer could not be written", () => {
    const { askedAt_s, layer, prepare } = operation.world({ asked: Effect.succeed("done"), failedSettlements: 1 })
    return Effect.gen(function* () {
      yield* fund()
      for (const number of [1, 2]) yield* Effect.flatMap(prepare(number), ({ unsent }) => unsent)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* recover("due"), tally({ [operation.done.counted]: 1, stillUnknown: 1 }))
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(yield* recover("due"), tally())
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* recover("due"), tally({ [operation.done.counted]: 1 }))
      assert.deepStrictEqual(askedAt_s, [60, 60, 120])
      assert.deepStrictEqual(yield* money, operation.doneTwice)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is looked up once by several recoveries at the same time", () => {
    const { askedAt_s, layer, prepare } = operation.world({
      asked: Effect.delay(Effect.succeed("done"), "10 seconds")
    })
    return Effect.gen(function* () {
      yield* fund()
      for (const number of [1, 2]) yield* Effect.flatMap(prepare(number), ({ unsent }) => unsent)
      yield* TestClock.adjust("1 minute")
      const cycles = yield* Effect.forkChild(
        Effect.all([recover("due"), recover("due"), recover("all")], { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* recover("all"), tally())
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* Fiber.join(cycles), [tally({ [operation.done.counted]: 2 }), tally(), tally()])
      assert.deepStrictEqual(askedAt_s, [60, 60])
      assert.deepStrictEqual(yield* money, operation.doneTwice)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is claimed again when the lease of a dead recovery ends after one minute", () => {
    const { askedAt_s, layer, prepare } = operation.world({
      asked: Effect.delay(Effect.succeed("done"), "10 seconds")
    })
    return Effect.gen(function* () {
      yield* fund()
      const { unsent } = yield* prepare()
      yield* unsent
      yield* TestClock.adjust("1 minute")
      const dying = yield* Effect.forkChild(recover("due"))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(dying)
      yield* Effect.forkChild(keepRecovering)
      yield* TestClock.adjust("58 seconds")
      assert.deepStrictEqual(askedAt_s, [60])
      yield* TestClock.adjust("11 seconds")
      assert.deepStrictEqual(askedAt_s, [60, 120])
      assert.deepStrictEqual(yield* sales, [["RD-k1", operation.done.status]])
      assert.deepStrictEqual(yield* money, operation.done.money)
    }).pipe(Effect.provide(layer))
  })
})

describe.each(operations)("the key of $operation that recovery settles", (operation) => {
  it.effect("is in progress until recovery settles the operation, and then replays the settled outcome", () => {
    const { layer, prepare } = operation.world({ asked: Effect.succeed("done") })
    return Effect.gen(function* () {
      yield* fund()
      const { call, unsent } = yield* prepare()
      yield* unsent
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Effect.flip(call))._tag, "RequestInProgress")
      yield* recover("due")
      const replayed = yield* call
      assert.deepStrictEqual([replayed.outcome._tag, replayed.replayed], [operation.done.response, true])
      assert.deepStrictEqual(yield* money, operation.done.money)
    }).pipe(Effect.provide(layer))
  })

  it.effect("keeps replaying the 202 that its caller received", () => {
    const { layer, prepare } = operation.world({ told: Effect.succeed("unknown"), asked: Effect.succeed("done") })
    return Effect.gen(function* () {
      yield* fund()
      const { call } = yield* prepare()
      const first = yield* call
      yield* TestClock.adjust("5 seconds")
      yield* recover("due")
      assert.deepStrictEqual(yield* sales, [["RD-k1", operation.done.status]])
      assert.deepStrictEqual(yield* call, { outcome: first.outcome, replayed: true })
      assert.deepStrictEqual(yield* money, operation.done.money)
    }).pipe(Effect.provide(layer))
  })
})

describe("an unresolved sale without a provider", () => {
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

describe("a reversal without an outcome", () => {
  it.effect("is looked up in time although the providers of 200 sales do not answer", () => {
    const { askedAt_s, layer, prepare } = reversalWorld({}, Effect.never)
    return Effect.gen(function* () {
      yield* fund(10_000_000)
      const { unsent } = yield* prepare()
      yield* unsent
      for (let count = 0; count < 200; count++) yield* unsentSale(`unknown-${count}`)
      yield* Effect.forkChild(keepRecovering)
      yield* TestClock.adjust("70 seconds")
      assert.deepStrictEqual(askedAt_s, [60])
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "refuses a second key, first as in progress and, after the reversal is confirmed, as not reversible",
    () => {
      const { layer } = reversalWorld({ told: Effect.succeed("unknown"), asked: Effect.succeed("done") })
      return Effect.gen(function* () {
        yield* fund()
        const id = yield* sold()
        yield* reverseSale(id)
        assert.strictEqual((yield* Effect.flip(reverseSale(id, "r2")))._tag, "RequestInProgress")
        yield* TestClock.adjust("5 seconds")
        yield* recover("due")
        assert.strictEqual((yield* Effect.flip(reverseSale(id, "r2")))._tag, "NotReversible")
        assert.deepStrictEqual(yield* money, { available: 100_000, held: 0, consumed: 0 })
      }).pipe(Effect.provide(layer))
    }
  )
})
