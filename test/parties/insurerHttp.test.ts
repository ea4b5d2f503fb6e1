import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as HttpInsurer from "../../adapters/insurer/HttpInsurer.ts"
import { Identifier, ServiceId } from "../../core/domain/Ids.ts"
import type { IssuedPolicy } from "../../core/domain/Insurance.ts"
import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { DispatchAnswer, type Order } from "../../core/domain/Sale.ts"
import type { FakeReply } from "../fakes/FakeServer.ts"
import {
  gatewayAt,
  isSilent,
  misbehaviourCases,
  Outside,
  order,
  startInsurer,
  unknownHost,
  unusedAddress,
  withLogLines,
  xidOf
} from "./support/Gateways.ts"

/** An order for a policy. */
const sale = (changes: Partial<Order> = {}): Order =>
  order(1, {
    service: { id: ServiceId.make(6), name: "Seguro de ley", type: "insurance" },
    identifier: Identifier.make("a123456"),
    product: "ley",
    reference: "Q-1",
    ...changes
  })

const xid = xidOf(1)
const delivery: IssuedPolicy = {
  number: `POL-${xid.slice(-8)}`,
  validity: { from: "2026-03-02", until: "2027-03-01" }
}
const { Delivered, NotSent, Refused, Unknown } = DispatchAnswer
const refused = Refused({ refusal: "SEGURO_NO_EMITIDO" })

layer(Outside)("an order for a policy", (it) => {
  it.effect("sends the quote, the plate and the amount", () =>
    Effect.gen(function* () {
      const { gateway, insurer } = yield* startInsurer
      yield* insurer.issue(sale())
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

  it.effect.each([
    ["issued", Delivered({ delivery }), 1],
    ["refused", refused, 0],
    ["pending", Unknown(), 0]
  ] as const)("decided as %s has the same result at once and in a later query", ([decision, answer, times]) =>
    Effect.gen(function* () {
      const { gateway, insurer } = yield* startInsurer
      gateway.policies.set(xid, decision)
      assert.deepStrictEqual(yield* insurer.issue(sale()), answer)
      assert.deepStrictEqual(yield* insurer.status(sale()), answer as StatusAnswer<IssuedPolicy>)
      assert.strictEqual(gateway.truth.of(xid).times, times)
    })
  )

  it.effect("is issued once under three concurrent requests", () =>
    Effect.gen(function* () {
      const { gateway, insurer } = yield* startInsurer
      const answers = yield* Effect.replicateEffect(insurer.issue(sale()), 3, { concurrency: 3 })
      assert.deepStrictEqual(answers, Array(3).fill(Delivered({ delivery })))
      assert.deepStrictEqual(yield* insurer.issue(sale({ reference: "Q-2" })), Unknown())
      assert.deepStrictEqual(gateway.truth.of(xid), { times: 1, charged: 10_000 })
    })
  )

  it.effect("without a quote is not sent", () =>
    Effect.gen(function* () {
      const { gateway, insurer } = yield* startInsurer
      assert.strictEqual((yield* Effect.exit(insurer.issue(sale({ reference: null }))))._tag, "Failure")
      assert.isEmpty(gateway.requests)
    })
  )

  it.effect.each(misbehaviourCases(Delivered({ delivery })))(
    "under the fault %s has a safe result",
    ([misbehaviour, answer, later, issued]) =>
      Effect.gen(function* () {
        const { gateway, insurer } = yield* startInsurer
        gateway.misbehaviours.plan(xid, misbehaviour)
        assert.deepStrictEqual(yield* insurer.issue(sale()), answer)
        assert.strictEqual((yield* insurer.status(sale()))._tag, later)
        assert.strictEqual(gateway.truth.of(xid).times, issued ? 1 : 0)
      })
  )

  it.effect.each(["silent before", "silent after", "trickle"] as const)(
    "under the fault %s waits until its caller gives up",
    (misbehaviour) =>
      Effect.gen(function* () {
        const { gateway, insurer } = yield* startInsurer
        gateway.misbehaviours.plan(xid, misbehaviour)
        assert.isTrue(yield* isSilent(insurer.issue(sale()), gateway.arrivals.reach(1)))
      })
  )

  it.effect("that is late is first not found, then pending, then issued", () =>
    Effect.gen(function* () {
      const { gateway, insurer } = yield* startInsurer
      gateway.misbehaviours.plan(xid, "late", "not found")
      yield* insurer.issue(sale())
      assert.deepStrictEqual(yield* insurer.status(sale()), StatusAnswer.NotFound())
      assert.deepStrictEqual(yield* insurer.status(sale()), StatusAnswer.Unknown())
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* insurer.status(sale()), StatusAnswer.Delivered({ delivery }))
    })
  )

  it.effect.each([unusedAddress, unknownHost])("is not sent when the insurer cannot be reached at %s", (url) =>
    Effect.gen(function* () {
      const insurer = yield* HttpInsurer.make(gatewayAt(url))
      assert.deepStrictEqual(yield* insurer.issue(sale()), NotSent())
      assert.deepStrictEqual(yield* insurer.status(sale()), StatusAnswer.NotAsked())
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
  it.effect("issues a policy whose number loses its hidden characters", () =>
    Effect.gen(function* () {
      const { gateway, insurer } = yield* startInsurer
      gateway.replyNext(xid, ok({ policy_number: "\u202eP\u200b1" }))
      const delivery = { number: "P1", validity: { from: "2026-03-02", until: "2027-03-01" } }
      assert.deepStrictEqual(yield* insurer.issue(sale()), Delivered({ delivery }))
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
      const { answer: heard, lines } = yield* withLogLines(insurer.issue(sale()))
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
      assert.deepStrictEqual(yield* insurer.status(sale()), answer)
    })
  )
})
