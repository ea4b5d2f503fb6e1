import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { DispatchAnswer, type Order, Verdict } from "../../../core/domain/Sale.ts"
import { type AuditEvent, AuditLog } from "../../../core/ports/AuditLog.ts"
import { Ledger } from "../../../core/ports/Ledger.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import { sell } from "../../../core/workflows/Sell.ts"
import { settleInFlight } from "../../../core/workflows/Settlement.ts"
import { intent } from "../../support/Examples.ts"
import { delivery, fund, money, sales, settlingFails, unsentSale, world } from "../../support/InMemoryWorld.ts"
import { operations, type Reply } from "../support/Operations.ts"

describe.each(operations)("$operation that cannot be settled immediately", (operation) => {
  it.effect("makes its caller wait until the database is reachable again", () => {
    const { layer, prepare } = operation.world({ failedSettlements: 2 })
    return Effect.gen(function* () {
      yield* fund()
      const { call } = yield* prepare()
      const running = yield* Effect.forkChild(call)
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual((yield* Fiber.join(running)).outcome._tag, operation.done.response)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is pending for its caller after 5 seconds, and settled later without another request", () => {
    const { layer, prepare, sent } = operation.world({ failedSettlements: 8 })
    return Effect.gen(function* () {
      yield* fund()
      const { call } = yield* prepare()
      const running = yield* Effect.forkChild(call)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(running)).outcome._tag, "Pending")
      assert.deepStrictEqual(yield* sales, [["RD-k1", operation.recorded.status]])
      assert.deepStrictEqual(yield* money, operation.recorded.money)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* sales, [["RD-k1", operation.done.status]])
      assert.deepStrictEqual(yield* money, operation.done.money)
      assert.lengthOf(sent, 1)
      const again = yield* call
      assert.deepStrictEqual([again.outcome._tag, again.replayed], ["Pending", true])
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    'is answered "unavailable" if it was not sent, and its key becomes free once that result is written',
    () => {
      const replies: Array<Reply> = ["not sent", "done"]
      const { layer, prepare, sent } = operation.world({
        told: Effect.sync(() => replies.shift() ?? "unknown"),
        failedSettlements: 8
      })
      return Effect.gen(function* () {
        yield* fund()
        const { call } = yield* prepare()
        const running = yield* Effect.forkChild(Effect.flip(call))
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* Fiber.join(running))._tag, "ServiceUnavailable")
        assert.strictEqual((yield* Effect.flip(call))._tag, "RequestInProgress")
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* money, operation.before)
        assert.strictEqual((yield* call).outcome._tag, operation.done.response)
        assert.deepStrictEqual(yield* sales, operation.retried)
        assert.lengthOf(sent, 2)
        assert.strictEqual(sent[0], sent[1])
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

describe("a settlement that waits for the database", () => {
  it.effect("makes its caller wait for 5 seconds, and succeeds when the database answers", () => {
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
  it.effect(
    "is audited with the current time and the time of the answer, even if the audit log is unavailable at first",
    () => {
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
    }
  )
})

describe.each(operations)("a provider's answer to $operation that another process has settled", (operation) => {
  // the earlier settlement, the late answer -> the contradiction that is audited
  it.effect.each<readonly ["done" | "refused", Reply, "done" | "refused" | null]>([
    ["refused", "done", "done"],
    ["done", "refused", "refused"],
    ["done", "done", null],
    ["refused", "refused", null],
    ["done", "unknown", null],
    ["refused", "unknown", null],
    ["done", "not sent", "refused"],
    ["refused", "not sent", null]
  ])(
    "moves no money, and is audited if it contradicts the settlement: %s first, then %s",
    ([before, late, contradiction]) => {
      const arrived = Deferred.makeUnsafe<void>()
      const reply = Deferred.makeUnsafe<Reply>()
      const { audited, layer, prepare, sent, settleElsewhere } = operation.world({
        told: Effect.andThen(Deferred.succeed(arrived, undefined), Deferred.await(reply))
      })
      return Effect.gen(function* () {
        yield* fund()
        const { call } = yield* prepare()
        const running = yield* Effect.forkChild(call)
        yield* Deferred.await(arrived)
        yield* settleElsewhere(before)
        assert.deepStrictEqual(yield* money, operation[before].money)
        yield* Deferred.succeed(reply, late)
        assert.strictEqual((yield* Fiber.join(running)).outcome._tag, operation[before].response)
        assert.deepStrictEqual(yield* money, operation[before].money)
        assert.deepStrictEqual(
          audited.map(({ action, companyId, details }) => [action, companyId as number, details["xid"]]),
          contradiction === null ? [] : [[operation.late[contradiction], 7, sent[0]]]
        )
      }).pipe(Effect.provide(layer))
    }
  )
})

describe.each(operations)(
  "$operation that is repeated with its key while recovery asks about the first attempt",
  (operation) => {
    it.effect("raises no alert when the provider's answer is about the second attempt", () => {
      const asking = Deferred.makeUnsafe<void>()
      const reply = Deferred.makeUnsafe<Reply>()
      const { audited, layer, prepare, settleElsewhere } = operation.world({
        asked: Effect.andThen(Deferred.succeed(asking, undefined), Deferred.await(reply))
      })
      return Effect.gen(function* () {
        yield* fund()
        const { call, unsent } = yield* prepare()
        yield* unsent
        yield* TestClock.adjust("11 minutes")
        const recovery = yield* Effect.forkChild(recover("due"))
        yield* Deferred.await(asking)
        // The process of the first attempt continues after a pause, and the provider refuses the late request.
        yield* settleElsewhere("not sent")
        assert.strictEqual((yield* call).outcome._tag, operation.done.response)
        yield* Deferred.succeed(reply, "done")
        yield* Fiber.join(recovery)
        assert.deepStrictEqual(yield* money, operation.done.money)
        assert.isEmpty(audited)
      }).pipe(Effect.provide(layer))
    })
  }
)
