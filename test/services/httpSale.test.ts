import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ServiceId } from "../../core/domain/Ids.ts"
import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { DispatchAnswer } from "../../core/domain/Sale.ts"
import { protocol } from "../fakes/FakeGateway.ts"
import type { FakeReply } from "../fakes/FakeServer.ts"
import { delivery, Outside, order, secret, startProvider, withLogLines, xidOf } from "./support/Gateways.ts"

const { Delivered, NotSent, Unknown } = DispatchAnswer

const xid = xidOf(1)
const amount_centavos = 10_000
const yes = { outcome: "delivered", xid, amount_centavos, auth_code: "A1" }
const another = xidOf(2)
const page = "<html>nginx</html>"

// Response to a dispatch, whether the protocol documents it, and its meaning.
const answers: ReadonlyArray<readonly [string, FakeReply, boolean, DispatchAnswer]> = [
  [
    "only the required fields",
    { status: 200, body: yes },
    true,
    Delivered({ delivery: { authCode: "A1", rechargeToken: null } })
  ],
  ["400, not processed", { status: 400, body: { outcome: "not_processed" } }, true, NotSent()],
  ["401, not processed", { status: 401, body: { outcome: "not_processed", reason: "bad_signature" } }, true, NotSent()],
  ["403, not processed", { status: 403, body: { outcome: "not_processed", xid } }, true, NotSent()],
  ["413, not processed", { status: 413, body: { outcome: "not_processed" } }, true, NotSent()],
  ["422, not processed", { status: 422, body: { outcome: "not_processed", xid } }, true, NotSent()],
  ["429, not processed", { status: 429, body: { outcome: "not_processed" } }, true, NotSent()],
  ["409, conflict", { status: 409, body: { outcome: "conflict", xid } }, true, Unknown()],
  [
    "not processed, for another order",
    { status: 422, body: { outcome: "not_processed", xid: another } },
    true,
    Unknown()
  ],
  ["409, conflict, for another order", { status: 409, body: { outcome: "conflict", xid: another } }, true, Unknown()],
  ["another order", { status: 200, body: { ...yes, xid: another } }, true, Unknown()],
  ["another amount", { status: 200, body: { ...yes, amount_centavos: 100 } }, true, Unknown()],
  [
    "refused, for another order",
    { status: 200, body: { outcome: "refused", xid: another, amount_centavos, reason: "INVALID_PHONE" } },
    true,
    Unknown()
  ],
  [
    "refused, with another amount",
    { status: 200, body: { outcome: "refused", xid, amount_centavos: 1, reason: "INVALID_PHONE" } },
    true,
    Unknown()
  ],
  ["404, order not found", { status: 404, body: { outcome: "not_found", xid } }, false, Unknown()],
  ["401 without an outcome", { status: 401, body: { error: "unauthorized" } }, false, Unknown()],
  ["an HTML page of a proxy", { status: 403, body: page }, false, Unknown()],
  ["200, not processed", { status: 200, body: { outcome: "not_processed" } }, false, Unknown()],
  ["500, not processed", { status: 500, body: { outcome: "not_processed" } }, false, Unknown()],
  ["503, not processed", { status: 503, body: { outcome: "not_processed" } }, false, Unknown()],
  ["500, delivered", { status: 500, body: yes }, false, Unknown()],
  ["502 from a proxy", { status: 502, body: page }, false, Unknown()],
  ["201, delivered", { status: 201, body: yes }, false, Unknown()],
  ["202", { status: 202, body: {} }, false, Unknown()],
  ["a redirect", { status: 307, body: {}, headers: { location: "/v1/orders" } }, false, Unknown()],
  ["no authorization code", { status: 200, body: { ...yes, auth_code: undefined } }, false, Unknown()],
  ["an empty authorization code", { status: 200, body: { ...yes, auth_code: "" } }, false, Unknown()],
  [
    "an unprintable authorization code",
    { status: 200, body: { ...yes, auth_code: "A1\n\u001b[2J" } },
    false,
    Unknown()
  ],
  [
    "hidden characters in the authorization code",
    { status: 200, body: { ...yes, auth_code: "\u202eA\u200b1\ufeff" } },
    true,
    Delivered({ delivery: { authCode: "A1", rechargeToken: null } })
  ],
  [
    "nothing but hidden characters in the authorization code",
    { status: 200, body: { ...yes, auth_code: "\u200b" } },
    true,
    Unknown()
  ],
  [
    "a lone surrogate in the authorization code",
    { status: 200, body: { ...yes, auth_code: "A\ud83d" } },
    false,
    Unknown()
  ],
  ["an invalid meter token", { status: 200, body: { ...yes, recharge_token: "12345" } }, false, Unknown()],
  ["a fraction of a centavo", { status: 200, body: { ...yes, amount_centavos: 100.5 } }, false, Unknown()],
  ["an amount as text", { status: 200, body: { ...yes, amount_centavos: "10000" } }, false, Unknown()],
  ["an unknown outcome", { status: 200, body: { ...yes, outcome: "done" } }, false, Unknown()],
  [
    "an unknown reason",
    { status: 200, body: { outcome: "refused", xid, amount_centavos, reason: "NO" } },
    false,
    Unknown()
  ],
  ["a list", { status: 200, body: [yes] }, false, Unknown()],
  ["a null body", { status: 200, body: null }, false, Unknown()],
  ["a body above 8 MiB", { status: 200, body: { ...yes, more: "x".repeat(9_000_000) } }, false, Unknown()]
]

const { ofReply } = protocol("http")
const dispatching = {
  method: "POST",
  path: "/v1/orders",
  query: new URLSearchParams(),
  headers: {},
  text: "",
  body: {}
}

layer(Outside)("a dispatch to an HTTP gateway", (it) => {
  it.effect("sends the product and the option under the names of the gateway", () =>
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
        Delivered({ delivery: { ...delivery, rechargeToken: "1234 5678 9012 3456 7890" } })
      )
    })
  )

  it.effect("has an unknown outcome if the gateway already has a different order with the same xid", () =>
    Effect.gen(function* () {
      const { gateway, provider } = yield* startProvider
      yield* provider.dispatch(order(1))
      const another = order(1, { reference: "otra" })
      assert.deepStrictEqual(yield* provider.dispatch(another), Unknown())
      assert.deepStrictEqual(gateway.truth.of(xidOf(1)), { times: 1, charged: 10_000 })
    })
  )
})

layer(Outside)("the response of an HTTP gateway", (it) => {
  it.effect.each(answers)("to a dispatch is interpreted safely: %s", ([, reply, isDocumented, answer]) =>
    Effect.gen(function* () {
      assert.strictEqual(ofReply(dispatching, reply).length === 0, isDocumented)
      const { gateway, provider } = yield* startProvider
      gateway.replyNext(xid, reply)
      assert.deepStrictEqual(yield* provider.dispatch(order(1)), answer)
      assert.isEmpty(gateway.truth.delivered)
    })
  )

  it.effect.each([
    ["404, order not found", { status: 404, body: { outcome: "not_found", xid } }, StatusAnswer.NotFound()],
    [
      "404, another order not found",
      { status: 404, body: { outcome: "not_found", xid: another } },
      StatusAnswer.Unknown()
    ],
    ["404 from a proxy", { status: 404, body: page }, StatusAnswer.Unknown()],
    ["404 without an outcome", { status: 404, body: {} }, StatusAnswer.Unknown()],
    ["200, order not found", { status: 200, body: { outcome: "not_found", xid } }, StatusAnswer.Unknown()],
    ["429, not processed", { status: 429, body: { outcome: "not_processed" } }, StatusAnswer.NotAsked()],
    ["503", { status: 503, body: {} }, StatusAnswer.Unknown()],
    ["another order", { status: 200, body: { ...yes, xid: another } }, StatusAnswer.Unknown()],
    ["another amount", { status: 200, body: { ...yes, amount_centavos: 1_000_000 } }, StatusAnswer.Unknown()]
  ] as const)("to a status query is interpreted safely: %s", ([, reply, answer]) =>
    Effect.gen(function* () {
      const { gateway, provider } = yield* startProvider
      gateway.replyNext(xid, reply)
      assert.deepStrictEqual(yield* provider.status(order(1)), answer)
    })
  )

  it.effect.each([
    ["another amount", { status: 200, body: { ...yes, amount_centavos: 100 } }, "Error"],
    ["another order", { status: 200, body: { ...yes, xid: another } }, "Error"],
    ["an unreadable field", { status: 200, body: { ...yes, auth_code: 5 } }, "Error"],
    ["a conflict", { status: 409, body: { outcome: "conflict", xid } }, "Error"],
    ["404 from a proxy", { status: 404, body: page }, "Error"],
    ["503", { status: 503, body: {} }, "Warn"],
    ["429, not processed", { status: 429, body: { outcome: "not_processed", reason: "too_many" } }, "Warn"]
  ] as const)("is logged without secrets when it has %s", ([, reply, level]) =>
    Effect.gen(function* () {
      const { gateway, provider } = yield* startProvider
      gateway.replyNext(xid, reply)
      const { lines } = yield* withLogLines(provider.dispatch(order(1)))
      assert.deepStrictEqual(
        lines.map(({ annotations, level }) => [level, annotations]),
        [[level, { operation: "dispatch", xid }]]
      )
      assert.notInclude(JSON.stringify(lines), order(1).identifier)
      assert.notInclude(JSON.stringify(lines), secret)
    })
  )

  it.effect("that lacks the token of an electricity sale keeps the money held", () =>
    Effect.gen(function* () {
      const { gateway, provider } = yield* startProvider
      gateway.replyNext(xid, { status: 200, body: yes })
      const service = { id: ServiceId.make(4), name: "EDESUR", type: "electricity_prepaid" as const }
      assert.deepStrictEqual(yield* provider.dispatch(order(1, { service })), Unknown())
    })
  )
})
