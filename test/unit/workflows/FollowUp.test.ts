import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { checks } from "../../../core/domain/FollowUp.ts"
import { StatusAnswer } from "../../../core/domain/Recovery.ts"
import { ReversalVerdict } from "../../../core/domain/Reversal.ts"
import { DispatchAnswer } from "../../../core/domain/Sale.ts"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { FollowUps } from "../../../core/ports/FollowUps.ts"
import type { Provider } from "../../../core/ports/Provider.ts"
import { Reversals } from "../../../core/ports/Reversals.ts"
import { followUp, keepFollowingUp } from "../../../core/workflows/FollowUp.ts"
import { sell } from "../../../core/workflows/Sell.ts"
import { intent } from "../../support/Examples.ts"
import { delivery, fund, money, sales, world } from "../../support/InMemoryWorld.ts"
import { begunOn, reversalOf } from "../../support/SalesOnPostgres.ts"

const { Delivered, NotAsked, NotFound, Refused, TakenBack, Unknown } = StatusAnswer

const refused = { refusal: "TRANSACTION_REJECTED" } as const
const refusing: Partial<Provider> = { dispatch: () => Effect.succeed(DispatchAnswer.Refused(refused)) }
const unsent: Partial<Provider> = { dispatch: () => Effect.succeed(DispatchAnswer.NotSent()) }

/** A provider that always gives this answer to a later status query. */
const answering = (answer: StatusAnswer): Partial<Provider> => ({ status: () => Effect.succeed(answer) })

/** A sale of a company in production. */
const live = (key = "k1") => ({ ...intent({ key }), environment: "production" as const })

const hours_s = (...hours: ReadonlyArray<number>) => hours.map((hour) => hour * 3_600)

describe("a settled sale", () => {
  it.effect.each([
    ["was delivered", {}],
    ["was refused", refusing]
  ] as const)("causes status queries 1, 6, 24 and 48 hours after it %s", ([, behaviour]) => {
    const { asked, layer, provider } = world({ ...behaviour, ...answering(Unknown()) })
    return Effect.gen(function* () {
      yield* fund()
      yield* Effect.exit(sell(live(), provider))
      yield* Effect.forkChild(keepFollowingUp(4))
      yield* TestClock.adjust("100 hours")
      assert.deepStrictEqual(
        asked.map(({ at_s }) => at_s),
        hours_s(1, 6, 24, 48)
      )
    }).pipe(Effect.provide(layer))
  })

  // How the sale ended, the provider's later answer -> the alert
  it.effect.each([
    ["SUCCESS", {}, Refused(refused), "late_refusal"],
    ["SUCCESS", {}, TakenBack(), "late_reversal"],
    ["FAILED", refusing, Delivered({ delivery }), "late_success"],
    ["SUCCESS", {}, Delivered({ delivery }), null],
    ["SUCCESS", {}, NotFound(), null],
    ["SUCCESS", {}, Unknown(), null],
    ["FAILED", refusing, Refused(refused), null],
    ["FAILED", refusing, TakenBack(), null]
  ] as const)(
    "with the status %s raises one alert if a later answer contradicts the status, and its money never moves",
    ([status, behaviour, answer, alert]) => {
      const { audited, layer, provider } = world({ ...behaviour, ...answering(answer) })
      return Effect.gen(function* () {
        yield* fund()
        yield* Effect.exit(sell(live(), provider))
        const before = yield* money
        yield* Effect.forkChild(keepFollowingUp(4))
        yield* TestClock.adjust("100 hours")
        assert.deepStrictEqual(
          audited.map(({ action, details }) => [action, details["xid"], details["status"]]),
          alert === null ? [] : [[alert, "RD-k1", status]]
        )
        assert.deepInclude(yield* money, { available: before.available, held: 0 })
        assert.deepStrictEqual(yield* sales, [["RD-k1", status]])
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("of a company in development causes no further status query", () => {
    const { asked, layer, provider } = world()
    return Effect.gen(function* () {
      yield* fund()
      yield* sell(intent(), provider)
      yield* TestClock.adjust("48 hours")
      assert.deepStrictEqual(yield* followUp(4), { asked: 0, contradicted: 0, notAsked: 0 })
      assert.isEmpty(asked)
    }).pipe(Effect.provide(layer))
  })

  it.effect("that was not sent raises no alert when a later sale with its key is delivered", () => {
    const answers: Array<DispatchAnswer> = [DispatchAnswer.NotSent(), DispatchAnswer.Delivered({ delivery })]
    const { audited, layer, provider } = world({
      ...answering(Delivered({ delivery })),
      dispatch: () => Effect.sync(() => answers.shift() ?? DispatchAnswer.Unknown())
    })
    return Effect.gen(function* () {
      yield* fund()
      yield* Effect.exit(sell(live(), provider))
      yield* Effect.exit(sell(live(), provider))
      assert.deepStrictEqual(yield* sales, [
        ["RD-k1", "FAILED"],
        ["RD-k1", "SUCCESS"]
      ])
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* followUp(4), { asked: 2, contradicted: 0, notAsked: 0 })
      assert.isEmpty(audited)
    }).pipe(Effect.provide(layer))
  })

  it.effect("that was certainly not sent raises an alert if the provider delivered it after all", () => {
    const { audited, layer, provider } = world({ ...unsent, ...answering(Delivered({ delivery })) })
    return Effect.gen(function* () {
      yield* fund()
      yield* Effect.exit(sell(live(), provider))
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* followUp(4), { asked: 1, contradicted: 1, notAsked: 0 })
      assert.deepStrictEqual(
        audited.map(({ action }) => action),
        ["late_success"]
      )
    }).pipe(Effect.provide(layer))
  })
})

describe("a check of settled sales", () => {
  const count = 20
  const sellMany = Effect.fnUntraced(function* (provider: Provider) {
    yield* fund(10_000_000)
    for (let number = 0; number < count; number++) yield* sell(live(`k${number}`), provider)
  })
  const keys = Array.from({ length: count }, (_, number) => `RD-k${number}`)

  it.effect("keeps at most the given number of status queries in flight, and queries each sale once", () => {
    let inFlight = 0
    let most = 0
    const { asked, layer, provider } = world({
      status: () =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            inFlight++
            most = Math.max(most, inFlight)
          }),
          () => Effect.delay(Effect.succeed(Unknown()), "1 second"),
          () =>
            Effect.sync(() => {
              inFlight--
            })
        )
    })
    return Effect.gen(function* () {
      yield* sellMany(provider)
      yield* TestClock.adjust("1 hour")
      const cycle = yield* Effect.forkChild(followUp(3))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* Fiber.join(cycle), { asked: count, contradicted: 0, notAsked: 0 })
      assert.strictEqual(most, 3)
      assert.deepStrictEqual(
        asked.map(({ xid }) => xid),
        keys
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("is made by one of several processes", () => {
    const { asked, layer, provider } = world({
      status: () => Effect.delay(Effect.succeed(Unknown()), "1 second")
    })
    return Effect.gen(function* () {
      yield* sellMany(provider)
      yield* TestClock.adjust("1 hour")
      for (let server = 0; server < 4; server++) yield* Effect.forkChild(keepFollowingUp(3))
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(
        asked.map(({ xid }) => xid),
        keys
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("is taken over one minute after its process died", () => {
    const { asked, layer, provider } = world()
    return Effect.gen(function* () {
      yield* fund()
      yield* sell(live(), provider)
      yield* TestClock.adjust("1 hour")
      const now = yield* DateTime.now
      const [check] = checks
      if (check === undefined) return assert.fail("there is no check")
      const { claim } = yield* FollowUps
      assert.lengthOf((yield* claim({ check, began: now, now, lease: Duration.minutes(1), limit: 4 }))?.sales ?? [], 1)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual((yield* followUp(4)).asked, 0)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* followUp(4)).asked, 1)
      assert.lengthOf(asked, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("queries again if its process dies before the alert is recorded", () => {
    const { asked, audited, layer, provider } = world({ ...answering(Refused(refused)) })
    const full = AuditLog.of({ record: () => Effect.die(new Error("disk full")) })
    return Effect.gen(function* () {
      yield* fund()
      yield* sell(live(), provider)
      yield* TestClock.adjust("1 hour")
      const dying = yield* Effect.forkChild(Effect.provideService(followUp(4), AuditLog, full))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.interrupt(dying)
      assert.isEmpty(audited)
      assert.deepStrictEqual(yield* followUp(4), { asked: 1, contradicted: 1, notAsked: 0 })
      assert.lengthOf(asked, 2)
      assert.lengthOf(audited, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("waits while the provider accepts no status queries, and then leaves late sales to the next check", () => {
    let isDown = true
    const { layer, provider } = world({
      status: () => Effect.sync(() => (isDown ? NotAsked() : Unknown()))
    })
    return Effect.gen(function* () {
      yield* sellMany(provider)
      yield* TestClock.adjust("1 hour")
      // Only the first three sales are queried, because the queries for the other sales would fail too.
      assert.deepStrictEqual(yield* followUp(3), { asked: 0, contradicted: 0, notAsked: 3 })
      isDown = false
      assert.deepStrictEqual(yield* followUp(3), { asked: count, contradicted: 0, notAsked: 0 })
      // After 25 hours the checks after 6 and after 24 hours are due. It is too late for the first, so only the second runs.
      yield* TestClock.adjust("24 hours")
      assert.deepStrictEqual(yield* followUp(3), { asked: count, contradicted: 0, notAsked: 0 })
    }).pipe(Effect.provide(layer))
  })

  it.effect("raises no alert about a sale that is reversed while the status query is in flight", () => {
    const { audited, layer, provider } = world({
      status: () => Effect.delay(Effect.succeed(TakenBack()), "1 second")
    })
    return Effect.gen(function* () {
      yield* fund()
      const { outcome } = yield* sell({ ...live(), reversible: true }, provider)
      if (outcome._tag !== "Delivered") return assert.fail("the sale was not delivered")
      yield* TestClock.adjust("1 hour")
      const cycle = yield* Effect.forkChild(followUp(4))
      yield* TestClock.adjust("500 millis")
      const reversals = yield* Reversals
      const unresolved = yield* begunOn(reversals, reversalOf(outcome.order, "r1"))
      yield* reversals.settle({ unresolved, verdict: ReversalVerdict.Confirm(), at: yield* DateTime.now, notFound: 0 })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(cycle), { asked: 1, contradicted: 0, notAsked: 0 })
      assert.isEmpty(audited)
    }).pipe(Effect.provide(layer))
  })
})
