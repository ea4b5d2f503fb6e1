import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ReversalAnswer } from "../../core/domain/Reversal.ts"
import { Outside, order, reversalOf, startProvider, xidOf } from "./support/Gateways.ts"

/** A gateway that has delivered an order. */
const sold = Effect.tap(startProvider, ({ provider }) => provider.dispatch(order(1)))

const reversal = reversalOf(order(1))
const { Denied, NotSent, Unknown } = ReversalAnswer

layer(Outside)("a reversal at an HTTP gateway", (it) => {
  it.effect("is denied for an order that was not delivered", () =>
    Effect.gen(function* () {
      const { gateway, provider } = yield* startProvider
      assert.deepStrictEqual(yield* provider.reverse(reversalOf(order(2))), Denied())
      assert.isEmpty(gateway.truth.delivered)
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
})
