import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ReversalAnswer, ReversalVerdict, type UnderReversal } from "../../../core/domain/Reversal.ts"
import { DispatchAnswer, type Order, Verdict } from "../../../core/domain/Sale.ts"
import { type AuditEvent, AuditLog } from "../../../core/ports/AuditLog.ts"
import { Ledger } from "../../../core/ports/Ledger.ts"
import { Reversals } from "../../../core/ports/Reversals.ts"
import { sell } from "../../../core/workflows/Sell.ts"
import { settleInFlight } from "../../../core/workflows/Settlement.ts"
import { intent } from "../../support/Examples.ts"
import { delivery, fund, money, sales, settlingFails, unsentSale, world } from "../../support/InMemoryWorld.ts"
import { type ReversalFault, reverseSale, reversing, sold } from "../support/ReversalWorld.ts"

describe("a sale that cannot be settled immediately", () => {
  it.effect("makes its caller wait until the database is reachable again", () => {
    const { layer, provider } = world({}, settlingFails(2))
    return Effect.gen(function* () {
      yield* fund()
      const sale = yield* Effect.forkChild(sell(intent(), provider))
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual((yield* Fiber.join(sale)).outcome._tag, "Delivered")
    }).pipe(Effect.provide(layer))
  })

  it.effect("is pending for its caller after 5 seconds, and settled later without another dispatch", () => {
    const { dispatched, layer, provider } = world({}, settlingFails(8))
    return Effect.gen(function* () {
      yield* fund()
      const sale = yield* Effect.forkChild(sell(intent(), provider))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(sale)).outcome._tag, "Pending")
      assert.deepStrictEqual(yield* sales, [["RD-k1", "PROCESSING"]])
      assert.deepStrictEqual(yield* money, { available: 90_000, held: 10_000, consumed: 10_000 })
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* sales, [["RD-k1", "SUCCESS"]])
      assert.deepStrictEqual(yield* money, { available: 90_000, held: 0, consumed: 10_000 })
      assert.deepStrictEqual(dispatched, ["RD-k1"])
      const again = yield* sell(intent(), provider)
      assert.deepStrictEqual([again.outcome._tag, again.replayed], ["Pending", true])
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    'is answered "unavailable" if it was not sent, and its key becomes free once that result is written',
    () => {
      const answers = [DispatchAnswer.NotSent(), DispatchAnswer.Delivered({ delivery })]
      const { dispatched, layer, provider } = world(
        { dispatch: () => Effect.sync(() => answers.shift() ?? DispatchAnswer.Unknown()) },
        settlingFails(8)
      )
      return Effect.gen(function* () {
        yield* fund()
        const sale = yield* Effect.forkChild(Effect.flip(sell(intent(), provider)))
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* Fiber.join(sale))._tag, "ServiceUnavailable")
        assert.strictEqual((yield* Effect.flip(sell(intent(), provider)))._tag, "RequestInProgress")
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* sales, [["RD-k1", "FAILED"]])
        assert.strictEqual((yield* sell(intent(), provider)).outcome._tag, "Delivered")
        assert.deepStrictEqual(dispatched, ["RD-k1", "RD-k1"])
      }).pipe(Effect.provide(layer))
    }
  )
})

describe("a settlement by operators", () => {
  it.effect("waits until the database is available, and returns the result", () => {
    const { layer } = world({}, settlingFails(8))
    return Effect.gen(function* () {
      yield* fund()
      const reserved = yield* unsentSale()
      if (reserved._tag !== "Reservation") return assert.fail("nothing was reserved")
      const settling = yield* Effect.forkChild(settleInFlight(reserved.order, Verdict.Confirm({ delivery })))
      yield* TestClock.adjust("6 seconds")
      assert.isUndefined(settling.pollUnsafe())
      yield* TestClock.adjust("1 minute")
      const { status, won } = yield* Fiber.join(settling)
      assert.deepStrictEqual([status, won], ["SUCCESS", true])
    }).pipe(Effect.provide(layer))
  })
})

describe("a settlement that does not end", () => {
  it.effect("makes its caller wait for 5 seconds, and shutdown waits for the settlement", () => {
    const back = Deferred.makeUnsafe<void>()
    const { dispatched, layer, provider } = world({}, (ledger) => ({
      ...ledger,
      settle: (settlement) => Effect.andThen(Deferred.await(back), ledger.settle(settlement))
    }))
    return Effect.gen(function* () {
      yield* fund()
      const sale = yield* Effect.forkChild(sell(intent(), provider))
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(sale.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(sale)).outcome._tag, "Pending")
      assert.deepStrictEqual(yield* sales, [["RD-k1", "PROCESSING"]])
      yield* Deferred.succeed(back, undefined)
      yield* Effect.yieldNow
      assert.deepStrictEqual(yield* sales, [["RD-k1", "SUCCESS"]])
      assert.deepStrictEqual(dispatched, ["RD-k1"])
    }).pipe(Effect.provide(layer))
  })
})

describe("an answer that contradicts the settled outcome", () => {
  it.effect("is audited with the present time, even if the audit log is unavailable at first", () => {
    const sent = Deferred.makeUnsafe<Order>()
    const back = Deferred.makeUnsafe<void>()
    let settlements = 0
    const { layer, provider } = world(
      { dispatch: (order) => Effect.as(Deferred.succeed(sent, order), DispatchAnswer.Delivered({ delivery })) },
      (ledger) => ({
        ...ledger,
        settle: (settlement) =>
          settlements++ === 0
            ? Effect.andThen(Deferred.await(back), ledger.settle(settlement))
            : ledger.settle(settlement)
      })
    )
    const written: Array<AuditEvent> = []
    let tries = 0
    const log = AuditLog.of({
      record: (event) =>
        Effect.sync(() => {
          if (tries++ === 0) throw new Error("database gone")
          written.push(event)
        })
    })
    return Effect.gen(function* () {
      yield* fund()
      const answeredAt = yield* DateTime.now
      yield* Effect.forkChild(Effect.provideService(sell(intent(), provider), AuditLog, log))
      const order = yield* Deferred.await(sent)
      const release = Verdict.Release({ refusal: "TRANSACTION_REJECTED" })
      yield* TestClock.adjust("2 hours")
      yield* Ledger.use((ledger) => ledger.settle({ order, verdict: release, at: answeredAt, notFound: 0 }))
      yield* Deferred.succeed(back, undefined)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(
        written.map(({ action, at, details }) => [action, DateTime.formatIso(at), details["answeredAt"]]),
        [["late_success", "1970-01-01T02:00:00.000Z", DateTime.formatIso(answeredAt)]]
      )
    }).pipe(Effect.provide(layer))
  })
})

describe("a provider's answer after another process has settled the sale", () => {
  const firm = { Confirm: Verdict.Confirm({ delivery }), Release: Verdict.Release({ refusal: "TRANSACTION_REJECTED" }) }
  const refused = DispatchAnswer.Refused({ refusal: "INVALID_PHONE" })
  const delivered = DispatchAnswer.Delivered({ delivery })

  // the earlier settlement, the late answer -> the response, the audit record
  it.effect.each([
    ["Release", delivered, "Refused", ["late_success"]],
    ["Confirm", refused, "Delivered", ["late_refusal"]],
    ["Confirm", delivered, "Delivered", []],
    ["Release", refused, "Refused", []],
    ["Confirm", DispatchAnswer.Unknown(), "Delivered", []],
    ["Release", DispatchAnswer.Unknown(), "Refused", []],
    ["Confirm", DispatchAnswer.NotSent(), "Delivered", ["late_refusal"]],
    ["Release", DispatchAnswer.NotSent(), "Refused", []]
  ] as const)("moves no money and audits a contradiction: %s first, then %j", ([before, late, heard, actions]) => {
    const sent = Deferred.makeUnsafe<Order>()
    const reply = Deferred.makeUnsafe<DispatchAnswer>()
    const { audited, layer, provider } = world({
      dispatch: (order) => Effect.andThen(Deferred.succeed(sent, order), Deferred.await(reply))
    })
    return Effect.gen(function* () {
      yield* fund()
      const sale = yield* Effect.forkChild(sell(intent(), provider))
      const order = yield* Deferred.await(sent)
      const at = yield* DateTime.now
      yield* Ledger.use((ledger) => ledger.settle({ order, verdict: firm[before], at, notFound: 0 }))
      const settled = yield* money
      yield* Deferred.succeed(reply, late)
      assert.strictEqual((yield* Fiber.join(sale)).outcome._tag, heard)
      assert.deepStrictEqual(yield* money, settled)
      assert.deepStrictEqual(
        audited.map(({ action, companyId, details }) => [action, companyId as number, details["xid"]]),
        actions.map((action) => [action, 7, "RD-k1"])
      )
    }).pipe(Effect.provide(layer))
  })
})

const { Confirmed, Denied, NotSent, Unknown } = ReversalAnswer

const charged = { available: 90_000, held: 0, consumed: 10_000 }
const givenBack = { available: 100_000, held: 0, consumed: 0 }

describe("a reversal that cannot be settled immediately", () => {
  it.effect("is pending for its caller after 5 seconds, and settled later without another request", () => {
    const { layer, sent } = reversing({}, settlingFails(8))
    return Effect.gen(function* () {
      yield* fund()
      const id = yield* sold()
      const reversal = yield* Effect.forkChild(reverseSale(id))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(reversal)).outcome._tag, "Pending")
      assert.deepStrictEqual(yield* money, charged)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* money, givenBack)
      assert.lengthOf(sent, 1)
    }).pipe(Effect.provide(layer))
  })
})

describe("a provider's answer after another process has settled the reversal", () => {
  const { Confirm, Deny } = ReversalVerdict

  // the earlier settlement, the late answer -> the response, the audit record
  it.effect.each([
    [Deny(), Confirmed(), "Denied", ["late_reversal"]],
    [Confirm(), Denied(), "Reversed", ["late_reversal_refusal"]],
    [Confirm(), NotSent(), "Reversed", ["late_reversal_refusal"]],
    [Confirm(), Confirmed(), "Reversed", []],
    [Deny(), Denied(), "Denied", []],
    [Confirm(), Unknown(), "Reversed", []],
    [Deny(), Unknown(), "Denied", []]
  ] as const)("moves no money and audits a contradiction: %j first, then %j", ([before, late, heard, actions]) => {
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
      const reversal = yield* Effect.forkChild(reverseSale(id))
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
