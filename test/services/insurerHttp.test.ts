import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { DispatchAnswer } from "../../core/domain/Sale.ts"
import type { FakeReply } from "../fakes/FakeServer.ts"
import { Outside, policy, policyOrder, startInsurer, withLogLines, xidOf } from "./support/Gateways.ts"

const xid = xidOf(1)
const { Delivered, NotSent, Unknown } = DispatchAnswer

layer(Outside)("an order for a policy", (it) => {
  it.effect("sends the quote, the plate and the amount", () =>
    Effect.gen(function* () {
      const { gateway, insurer } = yield* startInsurer
      yield* insurer.issue(policyOrder())
      assert.deepStrictEqual(gateway.requests[0]?.body, {
        xid,
        created_at: "1970-01-01T00:00:00.000Z",
        product: "ley",
        plate: "A123456",
        quote: "Q-1",
        amount_centavos: 10_000,
        currency: "DOP"
      })
    })
  )

  it.effect("has an unknown outcome if the insurer has already issued another order with the same xid", () =>
    Effect.gen(function* () {
      const { gateway, insurer } = yield* startInsurer
      assert.deepStrictEqual(yield* insurer.issue(policyOrder()), Delivered({ delivery: policy }))
      assert.deepStrictEqual(yield* insurer.issue(policyOrder({ reference: "Q-2" })), Unknown())
      assert.deepStrictEqual(gateway.truth.of(xid), { times: 1, charged: 10_000 })
    })
  )

  it.effect("without a quote is not sent", () =>
    Effect.gen(function* () {
      const { gateway, insurer } = yield* startInsurer
      assert.strictEqual((yield* Effect.exit(insurer.issue(policyOrder({ reference: null }))))._tag, "Failure")
      assert.isEmpty(gateway.requests)
    })
  )
})

const issued = {
  outcome: "issued",
  xid,
  amount_centavos: 10_000,
  policy_number: "P1",
  valid_from: "2026-03-02",
  valid_until: "2027-03-01"
}
const ok = (changes: object): FakeReply => ({ status: 200, body: { ...issued, ...changes } })
const another = xidOf(2)

layer(Outside)("the response of an insurer's gateway", (it) => {
  it.effect("issues a policy, and hidden characters are removed from the policy number", () =>
    Effect.gen(function* () {
      const { gateway, insurer } = yield* startInsurer
      gateway.replyNext(xid, ok({ policy_number: "\u202eP\u200b1" }))
      const delivery = { number: "P1", validity: { from: "2026-03-02", until: "2027-03-01" } }
      assert.deepStrictEqual(yield* insurer.issue(policyOrder()), Delivered({ delivery }))
    })
  )

  it.effect.each([
    ["another policy", ok({ xid: another }), Unknown()],
    ["another price", ok({ amount_centavos: 1 }), Unknown()],
    ["no policy number", ok({ policy_number: undefined }), Unknown()],
    ["no first day", ok({ valid_from: undefined }), Unknown()],
    ["no last day", ok({ valid_until: null }), Unknown()],
    ["no days", ok({ valid_from: undefined, valid_until: undefined }), Unknown()],
    ["an unprintable policy number", ok({ policy_number: "P\u0000" }), Unknown()],
    ["an impossible date", ok({ valid_until: "2027-02-30" }), Unknown()],
    ["a date with a time", ok({ valid_from: "2026-03-02T00:00:00Z" }), Unknown()],
    ["a policy that ends before it begins", ok({ valid_until: "2026-03-01" }), Unknown()],
    [
      "the refusal of another policy",
      { status: 200, body: { outcome: "refused", xid: another, amount_centavos: 10_000 } },
      Unknown()
    ],
    ["422, not processed", { status: 422, body: { outcome: "not_processed" } }, NotSent()],
    ["409, conflict", { status: 409, body: { outcome: "conflict", xid } }, Unknown()],
    ["422 without an outcome", { status: 422, body: {} }, Unknown()],
    ["500, refused", { status: 500, body: { outcome: "refused", xid, amount_centavos: 10_000 } }, Unknown()]
  ] as const)("to an order is interpreted safely: %s", ([, reply, answer]) =>
    Effect.gen(function* () {
      const { gateway, insurer } = yield* startInsurer
      gateway.replyNext(xid, reply)
      const { answer: heard, lines } = yield* withLogLines(insurer.issue(policyOrder()))
      assert.deepStrictEqual(heard, answer)
      assert.deepStrictEqual(
        lines.map(({ annotations }) => annotations),
        [{ operation: "issue", xid }]
      )
    })
  )

  it.effect.each([
    ["404, policy not found", { status: 404, body: { outcome: "not_found", xid } }, StatusAnswer.NotFound()],
    [
      "404, another policy not found",
      { status: 404, body: { outcome: "not_found", xid: another } },
      StatusAnswer.Unknown()
    ],
    ["404 from a proxy", { status: 404, body: "<html>" }, StatusAnswer.Unknown()],
    ["another price", ok({ amount_centavos: 1 }), StatusAnswer.Unknown()],
    ["no days", ok({ valid_from: undefined, valid_until: undefined }), StatusAnswer.Unknown()],
    ["401, not processed", { status: 401, body: { outcome: "not_processed" } }, StatusAnswer.NotAsked()]
  ] as const)("to a status query is interpreted safely: %s", ([, reply, answer]) =>
    Effect.gen(function* () {
      const { gateway, insurer } = yield* startInsurer
      gateway.replyNext(xid, reply)
      assert.deepStrictEqual(yield* insurer.status(policyOrder()), answer)
    })
  )
})
