import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { StatusAnswer } from "../../../core/domain/Recovery.ts"
import { Verdict } from "../../../core/domain/Sale.ts"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import type { Provider } from "../../../core/ports/Provider.ts"
import { type RecoveryClaim, Unresolved } from "../../../core/ports/Unresolved.ts"
import { keepRecovering, recover } from "../../../core/workflows/Recover.ts"
import { sell } from "../../../core/workflows/Sell.ts"
import { intent } from "../../support/Examples.ts"
import {
  delivery,
  fund,
  tally,
  unansweredWithStatus,
  unavailableFor,
  unsentSale,
  world
} from "../../support/InMemoryWorld.ts"

const { Delivered, Unknown } = StatusAnswer

const pending = (provider: Provider, key: string) => sell(intent({ key }), provider)

describe("a recovery that receives a late answer", () => {
  it.effect("settles other sales while its alert cannot be written", () => {
    let away = true
    const told: Array<string> = []
    const log = AuditLog.of({
      record: ({ action }) =>
        Effect.suspend(() => (away ? Effect.die(new Error("gone")) : Effect.sync(() => void told.push(action))))
    })
    const late = new Set(["RD-k1"])
    const { layer } = world(
      unansweredWithStatus(() => Effect.succeed(Delivered({ delivery }))),
      (ledger) => ({
        ...ledger,
        // Another process has released the sale before this settlement.
        settle: (settlement) =>
          late.delete(settlement.order.xid)
            ? Effect.andThen(
                ledger.settle({ ...settlement, verdict: Verdict.Release({ refusal: "TRANSACTION_REJECTED" }) }),
                ledger.settle(settlement)
              )
            : ledger.settle(settlement)
      })
    )
    return Effect.gen(function* () {
      yield* fund()
      for (const key of ["k1", "k2", "k3"]) yield* unsentSale(key)
      yield* TestClock.adjust("1 minute")
      const recovery = yield* Effect.forkChild(recover("due"))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(recovery), tally({ confirmed: 2, released: 1 }))
      away = false
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(told, ["late_success"])
    }).pipe(Effect.provideService(AuditLog, log), Effect.provide(layer))
  })
})

describe("several recoveries at the same time", () => {
  it.effect("never look up the same sale at the same time, even if many answers are slow", () => {
    const asking = new Set<string>()
    const twice: Array<string> = []
    const { asked, layer } = world(
      unansweredWithStatus(({ xid }) =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            if (asking.has(xid)) twice.push(xid)
            asking.add(xid)
          }),
          () => Effect.never,
          () => Effect.sync(() => void asking.delete(xid))
        )
      )
    )
    return Effect.gen(function* () {
      yield* fund(10_000_000)
      for (const n of Array.from({ length: 120 }, (_, index) => index)) yield* unsentSale(`k${n}`)
      yield* TestClock.adjust("1 minute")
      yield* Effect.forkChild(keepRecovering)
      yield* Effect.forkChild(keepRecovering)
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(twice, [])
      assert.strictEqual(new Set(asked.map(({ xid }) => xid)).size, 120)
    }).pipe(Effect.provide(layer))
  })
})

describe("a recovery that an operator starts", () => {
  it.effect(
    "looks up sales earlier than scheduled, except sales with a first provider call that may still be running",
    () => {
      const { asked, layer, provider } = world(unansweredWithStatus(() => Effect.succeed(Unknown())))
      return Effect.gen(function* () {
        yield* fund()
        yield* pending(provider, "k1")
        yield* unsentSale("k2")
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* recover("due"), tally())
        assert.deepStrictEqual(yield* recover("all"), tally({ stillUnknown: 1 }))
        assert.deepStrictEqual(asked, [{ xid: "RD-k1", at_s: 1 }])
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("looks up each of many sales once, and ends even if it can settle none of them", () => {
    const { asked, layer, provider } = world(unansweredWithStatus(() => Effect.succeed(Unknown())))
    const keys = Array.from({ length: 250 }, (_, index) => `k${index}`)
    return Effect.gen(function* () {
      yield* fund(2_500_000)
      for (const key of keys) yield* pending(provider, key)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* recover("all")).stillUnknown, 250)
      assert.strictEqual(new Set(asked.map(({ xid }) => xid)).size, 250)
      assert.strictEqual(asked.length, 250)
    }).pipe(Effect.provide(layer))
  })
})

/** A claim that returns only one sale. Postgres may do so when it skips rows that are locked at that moment. */
const claimingOne = Effect.updateService(Unresolved, ({ claim }: Unresolved["Service"]) => ({
  claim: (wanted: RecoveryClaim) => claim({ ...wanted, limit: 1 })
}))

describe("a claim that returns fewer sales than its limit", () => {
  it.effect("is followed by another claim", () => {
    const { layer, provider } = world(unansweredWithStatus(() => Effect.succeed(Unknown())))
    return Effect.gen(function* () {
      yield* fund()
      for (const key of ["k1", "k2", "k3"]) yield* pending(provider, key)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* claimingOne(recover("all")), tally({ stillUnknown: 3 }))
    }).pipe(Effect.provide(layer))
  })
})

/** Makes the database unavailable for this number of claims. */
const claimingFails = (times: number) => {
  const orGone = unavailableFor(times)
  return Effect.updateService(Unresolved, ({ claim }: Unresolved["Service"]) => ({
    claim: (wanted: RecoveryClaim) => orGone(claim(wanted))
  }))
}

describe("the recovery loop of a server", () => {
  it.effect("continues after cycles that failed", () => {
    const { asked, layer, provider } = world(unansweredWithStatus(() => Effect.succeed(Unknown())))
    return Effect.gen(function* () {
      yield* fund()
      yield* pending(provider, "k1")
      yield* TestClock.adjust("5 seconds")
      yield* Effect.forkChild(claimingFails(2)(keepRecovering))
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(asked, [{ xid: "RD-k1", at_s: 7 }])
    }).pipe(Effect.provide(layer))
  })
})
