import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as HttpProvider from "../../adapters/provider/HttpProvider.ts"
import { ServiceId } from "../../core/domain/Ids.ts"
import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { DispatchAnswer } from "../../core/domain/Sale.ts"
import {
  gatewayAt,
  isSilent,
  misbehaviourCases,
  Outside,
  order,
  startProvider,
  unknownHost,
  unusedAddress,
  xidOf
} from "./support/Gateways.ts"

const delivered = (number: number) => ({
  delivery: { authCode: `GW${xidOf(number).slice(-8)}`, rechargeToken: null }
})

const { Delivered, NotSent, Refused, Unknown } = DispatchAnswer

layer(Outside)("an HTTP gateway", (it) => {
  describe("for a dispatch", () => {
    it.effect.each([
      ["delivered", Delivered(delivered(1)), true],
      ["INVALID_PHONE", Refused({ refusal: "INVALID_PHONE" }), false],
      ["INVALID_AMOUNT", Refused({ refusal: "INVALID_AMOUNT" }), false],
      ["TRANSACTION_REJECTED", Refused({ refusal: "TRANSACTION_REJECTED" }), false],
      ["pending", Unknown(), false]
    ] as const)("returns the decision %s at once and in a later query", ([decision, answer, done]) =>
      Effect.gen(function* () {
        const { gateway, provider } = yield* startProvider
        gateway.orders.set(xidOf(1), decision)
        assert.deepStrictEqual(yield* provider.dispatch(order(1)), answer)
        assert.deepStrictEqual(yield* provider.status(order(1)), answer as StatusAnswer)
        assert.strictEqual(gateway.truth.isDelivered(xidOf(1)), done)
      })
    )

    it.effect("receives the product and the option under its own names", () =>
      Effect.gen(function* () {
        const { gateway, provider } = yield* startProvider
        yield* provider.dispatch(order(1, { product: "claro-datos", reference: "P2" }))
        assert.deepStrictEqual(gateway.requests[0]?.body, {
          xid: xidOf(1),
          created_at: "1970-01-01T00:00:00.000Z",
          service: { id: 1, name: "Recarga Caribe Móvil", type: "mobile_recharge", product: "claro-datos" },
          identifier: "8095551234",
          amount_centavos: 10_000,
          currency: "DOP",
          reference: "P2"
        })
      })
    )

    it.effect("returns the meter's token for electricity", () =>
      Effect.gen(function* () {
        const { provider } = yield* startProvider
        const service = { id: ServiceId.make(4), name: "EDESUR", type: "electricity_prepaid" as const }
        const answer = yield* provider.dispatch(order(1, { service }))
        assert.deepStrictEqual(
          answer,
          Delivered({ delivery: { ...delivered(1).delivery, rechargeToken: "1234 5678 9012 3456 7890" } })
        )
      })
    )

    it.effect("delivers an xid once under three concurrent dispatches", () =>
      Effect.gen(function* () {
        const { gateway, provider } = yield* startProvider
        const answers = yield* Effect.replicateEffect(provider.dispatch(order(1)), 3, { concurrency: 3 })
        assert.deepStrictEqual(answers, Array(3).fill(Delivered(delivered(1))))
        assert.deepStrictEqual(gateway.truth.of(xidOf(1)), { times: 1, charged: 10_000 })
      })
    )

    it.effect("leaves a different order with the same xid unknown", () =>
      Effect.gen(function* () {
        const { gateway, provider } = yield* startProvider
        yield* provider.dispatch(order(1))
        const another = order(1, { reference: "otra" })
        assert.deepStrictEqual(yield* provider.dispatch(another), Unknown())
        assert.strictEqual(gateway.truth.of(xidOf(1)).times, 1)
      })
    )
  })

  describe("with a fault", () => {
    it.effect.each(misbehaviourCases(Delivered(delivered(1))))(
      "of type %s during a dispatch has a safe result",
      ([misbehaviour, answer, later, done]) =>
        Effect.gen(function* () {
          const { gateway, provider } = yield* startProvider
          gateway.misbehaviours.plan(xidOf(1), misbehaviour)
          assert.deepStrictEqual(yield* provider.dispatch(order(1)), answer)
          assert.strictEqual((yield* provider.status(order(1)))._tag, later)
          assert.strictEqual(gateway.truth.of(xidOf(1)).times, done ? 1 : 0)
        })
    )

    it.effect.each(["silent before", "silent after", "trickle"] as const)(
      "of type %s makes a dispatch wait until its caller gives up",
      (misbehaviour) =>
        Effect.gen(function* () {
          const { gateway, provider } = yield* startProvider
          gateway.misbehaviours.plan(xidOf(1), misbehaviour)
          assert.isTrue(yield* isSilent(provider.dispatch(order(1)), gateway.arrivals.reach(1)))
          const later = yield* provider.status(order(1))
          assert.strictEqual(later._tag, misbehaviour === "silent before" ? "NotFound" : "Delivered")
        })
    )

    it.effect.each([
      ["cut before", Unknown()],
      ["cut after", Unknown()],
      ["cut midway", Unknown()],
      ["broken before", Unknown()],
      ["garbage", Unknown()],
      ["contradiction", Unknown()],
      ["not found", StatusAnswer.NotFound()]
    ] as const)("of type %s during a status query has a correct result at the next query", ([misbehaviour, answer]) =>
      Effect.gen(function* () {
        const { gateway, provider } = yield* startProvider
        yield* provider.dispatch(order(1))
        gateway.misbehaviours.plan(xidOf(1), misbehaviour)
        assert.deepStrictEqual(yield* provider.status(order(1)), answer as StatusAnswer)
        assert.deepStrictEqual(yield* provider.status(order(1)), StatusAnswer.Delivered(delivered(1)))
      })
    )

    it.effect("may deny an order and deliver it later", () =>
      Effect.gen(function* () {
        const { gateway, provider } = yield* startProvider
        gateway.misbehaviours.plan(xidOf(1), "late", "not found")
        yield* provider.dispatch(order(1))
        assert.deepStrictEqual(yield* provider.status(order(1)), StatusAnswer.NotFound())
        yield* TestClock.adjust("599 seconds")
        assert.deepStrictEqual(yield* provider.status(order(1)), StatusAnswer.Unknown())
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* provider.status(order(1)), StatusAnswer.Delivered(delivered(1)))
      })
    )
  })

  it.effect.each([unusedAddress, unknownHost])("that cannot be reached at %s has received nothing", (url) =>
    Effect.gen(function* () {
      const provider = yield* HttpProvider.make(gatewayAt(url))
      assert.deepStrictEqual(yield* provider.dispatch(order(1)), NotSent())
      assert.deepStrictEqual(yield* provider.status(order(1)), StatusAnswer.NotAsked())
    })
  )
})
