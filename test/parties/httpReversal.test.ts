import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as HttpProvider from "../../adapters/provider/HttpProvider.ts"
import { ReversalAnswer } from "../../core/domain/Reversal.ts"
import type { Misbehaviour } from "../fakes/FakeServer.ts"
import {
  gatewayAt,
  isSilent,
  Outside,
  order,
  reversalOf,
  startProvider,
  unusedAddress,
  xidOf
} from "./support/Gateways.ts"

/** A gateway that has delivered an order. */
const sold = Effect.tap(startProvider, ({ provider }) => provider.dispatch(order(1)))

const reversal = reversalOf(order(1))
const { Confirmed, Denied, NotFound, NotSent, Unknown } = ReversalAnswer

layer(Outside)("a reversal at an HTTP gateway", (it) => {
  it.effect.each([
    ["confirmed", Confirmed(), 0],
    ["denied", Denied(), 1],
    ["pending", Unknown(), 1]
  ] as const)("decided as %s has the same result at once and in a later query", ([decision, answer, times]) =>
    Effect.gen(function* () {
      const { gateway, provider } = yield* sold
      gateway.reversals.set(reversal.xid, decision)
      assert.deepStrictEqual(yield* provider.reverse(reversal), answer)
      assert.deepStrictEqual(yield* provider.reversalStatus(reversal), answer)
      assert.strictEqual(gateway.truth.of(xidOf(1)).times, times)
    })
  )

  it.effect("reverses an order once, and is denied for an order that was not delivered", () =>
    Effect.gen(function* () {
      const { gateway, provider } = yield* sold
      const answers = yield* Effect.replicateEffect(provider.reverse(reversal), 3, { concurrency: 3 })
      assert.deepStrictEqual(answers, Array(3).fill(Confirmed()))
      assert.deepStrictEqual(yield* provider.reverse(reversalOf(order(2))), Denied())
      assert.isEmpty(gateway.truth.delivered)
    })
  )

  // Fault, result of the reversal, result of a later query, and whether the order is still delivered.
  it.effect.each([
    ["cut before", Unknown(), NotFound(), true],
    ["cut after", Unknown(), Confirmed(), false],
    ["cut midway", Unknown(), Confirmed(), false],
    ["broken before", Unknown(), NotFound(), true],
    ["broken after", Unknown(), Confirmed(), false],
    ["garbage", Unknown(), Confirmed(), false],
    ["contradiction", Unknown(), Confirmed(), false],
    ["duplicate", Confirmed(), Confirmed(), false],
    ["late", Unknown(), Unknown(), false],
    ["not found", Unknown(), NotFound(), true]
  ] as const satisfies ReadonlyArray<readonly [Misbehaviour, ReversalAnswer, ReversalAnswer, boolean]>)(
    "under the fault %s has a safe result",
    ([misbehaviour, answer, later, stands]) =>
      Effect.gen(function* () {
        const { gateway, provider } = yield* sold
        gateway.misbehaviours.plan(reversal.xid, misbehaviour)
        assert.deepStrictEqual(yield* provider.reverse(reversal), answer)
        assert.deepStrictEqual(yield* provider.reversalStatus(reversal), later)
        assert.strictEqual(gateway.truth.isDelivered(xidOf(1)), stands)
      })
  )

  it.effect("that is late is first not found, then pending, then confirmed", () =>
    Effect.gen(function* () {
      const { gateway, provider } = yield* sold
      gateway.misbehaviours.plan(reversal.xid, "late", "not found")
      yield* provider.reverse(reversal)
      assert.deepStrictEqual(yield* provider.reversalStatus(reversal), NotFound())
      assert.deepStrictEqual(yield* provider.reversalStatus(reversal), Unknown())
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* provider.reversalStatus(reversal), Confirmed())
    })
  )

  it.effect("without a response waits until its caller gives up", () =>
    Effect.gen(function* () {
      const { gateway, provider } = yield* sold
      gateway.misbehaviours.plan(reversal.xid, "silent after")
      assert.isTrue(yield* isSilent(provider.reverse(reversal), gateway.arrivals.reach(2)))
      assert.deepStrictEqual(yield* provider.reversalStatus(reversal), Confirmed())
    })
  )

  const { xid } = reversal
  const confirmed = { outcome: "confirmed", xid, order_xid: xidOf(1), amount_centavos: 10_000 }

  // Response, then its meaning for a new reversal and for a status query.
  it.effect.each([
    ["another reversal", { status: 200, body: { ...confirmed, xid: xidOf(9) } }, Unknown(), Unknown()],
    ["another order", { status: 200, body: { ...confirmed, order_xid: xidOf(9) } }, Unknown(), Unknown()],
    ["another amount", { status: 200, body: { ...confirmed, amount_centavos: 1 } }, Unknown(), Unknown()],
    ["no order xid", { status: 200, body: { ...confirmed, order_xid: undefined } }, Unknown(), Unknown()],
    [
      "the denial of another reversal",
      { status: 200, body: { ...confirmed, outcome: "denied", xid: xidOf(9) } },
      Unknown(),
      Unknown()
    ],
    ["422, not processed", { status: 422, body: { outcome: "not_processed" } }, NotSent(), NotSent()],
    ["409, conflict", { status: 409, body: { outcome: "conflict", xid } }, Unknown(), Unknown()],
    ["404 from a proxy", { status: 404, body: "<html>" }, Unknown(), Unknown()],
    ["503", { status: 503, body: confirmed }, Unknown(), Unknown()]
  ] as const)("interprets the response: %s", ([, reply, begun, asked]) =>
    Effect.gen(function* () {
      const { gateway, provider } = yield* sold
      gateway.replyNext(xid, reply)
      assert.deepStrictEqual(yield* provider.reverse(reversal), begun)
      gateway.replyNext(xid, reply)
      assert.deepStrictEqual(yield* provider.reversalStatus(reversal), asked)
      assert.isTrue(gateway.truth.isDelivered(xidOf(1)))
    })
  )

  it.effect("is not sent when the gateway cannot be reached", () =>
    Effect.gen(function* () {
      const provider = yield* HttpProvider.make(gatewayAt(unusedAddress))
      assert.deepStrictEqual(yield* provider.reverse(reversal), NotSent())
    })
  )
})
