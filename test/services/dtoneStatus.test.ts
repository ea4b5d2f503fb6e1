import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import * as fc from "fast-check"
import { conclude } from "../../core/domain/Recovery.ts"
import type { Reversal } from "../../core/domain/Reversal.ts"
import { type DispatchAnswer, denialOf, type Order } from "../../core/domain/Sale.ts"
import type { Misbehaviour } from "../fakes/FakeServer.ts"
import { forRandomValues } from "../support/RandomValues.ts"
import { type DtOneWorld, ordered, withDtOne, xid } from "./support/DtOneWorld.ts"

const misbehaviour = fc.constantFrom<Misbehaviour | null>(
  null,
  "cut before",
  "cut after",
  "cut midway",
  "broken before",
  "broken after",
  "garbage",
  "contradiction",
  "duplicate",
  "late",
  "not found"
)

const number = fc
  .tuple(fc.constantFrom("1", "2", "3"), fc.constantFrom("0", "1", "2", "5", "7"))
  .map(([delay, end]) => `8095551${delay}0${end}`)

const sending = fc.array(misbehaviour, { maxLength: 8 })

// At most two faults, because the first two queries come about 5 and 10 minutes after the sale. A "not found" answer counts
// only when the sale is at least 15 minutes old.
const asking = fc.array(misbehaviour, { maxLength: 2 })

/** The settlement that the ledger would reach with a status query every five minutes. */
const settled = Effect.fnUntraced(function* ({ pass, provider }: DtOneWorld, order: Order, answer: DispatchAnswer) {
  if (answer._tag !== "Unknown") return answer._tag === "Delivered" ? "charged" : "returned"
  let notFound = 0
  for (let cycle = 0; cycle < 20; cycle++) {
    yield* pass("5 minutes")
    const said = yield* provider.status(order)
    const { createdAt } = order
    const conclusion = conclude({ createdAt, notFound, askAt: null }, said, yield* DateTime.now, denialOf(order))
    if (conclusion === null) continue
    if (conclusion.verdict._tag !== "Hold") return conclusion.verdict._tag === "Confirm" ? "charged" : "returned"
    notFound = conclusion.notFound
  }
  return "held"
})

describe("under any sequence of DT One faults", () => {
  it.effect("a sale is sent once, and charged if and only if it was delivered", () =>
    forRandomValues(fc.tuple(number, sending, asking), 60, ([identifier, atFirst, later]) =>
      withDtOne((world) =>
        Effect.gen(function* () {
          const { fake, provider } = world
          fake.misbehaviours.plan(xid, ...atFirst)
          const order = yield* ordered({ identifier })
          const answer = yield* provider.dispatch(order)
          fake.misbehaviours.forget(xid)
          fake.misbehaviours.plan(xid, ...later)
          const end = yield* settled(world, order, answer)
          assert.deepStrictEqual(fake.sent, [xid])
          assert.deepStrictEqual(fake.truth.doubled, [])
          assert.strictEqual(end, fake.truth.isDelivered(xid) ? "charged" : "returned")
        })
      )
    )
  )
})

const reversalOf = Effect.fnUntraced(function* (order: Order) {
  return { id: 1, xid: "RD-000000000000000000000001", createdAt: yield* DateTime.now, order } satisfies Reversal
})

describe("a status query at DT One", () => {
  it.effect.each([
    ["an empty list", 200, [], "NotFound"],
    ["404 for this transaction", 404, { errors: [{ code: 1008004, message: "" }] }, "NotFound"],
    ["404 with two error codes", 404, { errors: [{ code: 1008004 }, { code: 1000404 }] }, "Unknown"],
    ["503 with the code for an unknown transaction", 503, { errors: [{ code: 1008004 }] }, "Unknown"],
    ["404 with another error code", 404, { errors: [{ code: 1000404, message: "" }] }, "Unknown"],
    ["404 from a proxy", 404, "<html>", "Unknown"],
    ["401", 401, { errors: [{ code: 1000401, message: "" }] }, "Unknown"],
    ["429", 429, { errors: [{ code: 1000429, message: "" }] }, "Unknown"],
    ["503", 503, { errors: [{ code: 1009503, message: "" }] }, "Unknown"],
    ["one transaction instead of a list", 200, { external_id: xid }, "Unknown"],
    ["a list of something else", 200, [{ external_id: xid }], "Unknown"],
    ["null", 200, null, "Unknown"]
  ] as const)("interprets the response: %s", ([, status, body, tag]) =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        fake.replyNext(xid, { status, body })
        const answer = yield* provider.status(yield* ordered())
        assert.strictEqual(answer._tag, tag)
        assert.deepStrictEqual(fake.sent, [])
      })
    )
  )

  // Class of the status, and the result of the query.
  it.effect.each([
    ["CREATED", "Unknown"],
    ["CONFIRMED", "Unknown"],
    ["SUBMITTED", "Unknown"],
    ["COMPLETED", "Delivered"],
    ["REJECTED", "Refused"],
    ["DECLINED", "Refused"],
    ["CANCELLED", "Refused"],
    ["REVERSED", "TakenBack"],
    ["EXPIRED", "Unknown"]
  ] as const)("maps the status %s to %s", ([message, tag]) =>
    withDtOne(({ alerts, fake, provider }) =>
      Effect.gen(function* () {
        const order = yield* ordered({ identifier: "8095551300" })
        yield* provider.dispatch(order)
        fake.overrideFields(xid, { status: { message, class: { message } } })
        assert.strictEqual((yield* provider.status(order))._tag, tag)
        assert.deepStrictEqual(alerts, message === "REVERSED" ? ["DT One reversed a sale that it had delivered"] : [])
      })
    )
  )
})

describe("the reversal of a sale at DT One", () => {
  // Status of the sale at DT One, result of the reversal, and result of a later query.
  it.effect.each([
    ["COMPLETED", "Denied", "Denied"],
    ["REVERSED", "Confirmed", "Confirmed"],
    ["DECLINED", "Denied", "Denied"],
    ["SUBMITTED", "NotSent", "Unknown"]
  ] as const)("has the result that follows from the sale's status %s", ([status, atOnce, later]) =>
    withDtOne(({ alerts, fake, provider }) =>
      Effect.gen(function* () {
        const order = yield* ordered()
        yield* provider.dispatch(order)
        fake.setStatus(xid, status)
        const reversal = yield* reversalOf(order)
        assert.strictEqual((yield* provider.reverse(reversal))._tag, atOnce)
        assert.strictEqual((yield* provider.reversalStatus(reversal))._tag, later)
        assert.strictEqual(alerts.length, status === "DECLINED" ? 2 : 0)
        assert.deepStrictEqual(fake.sent, [xid])
      })
    )
  )

  it.effect.each([
    ["does not know the sale", "not found", "NotSent", "Unknown"],
    ["returns contradicting data", "contradiction", "NotSent", "Unknown"],
    ["fails with an error", "broken after", "NotSent", "Unknown"]
  ] as const)("is not confirmed when DT One %s", ([, misbehaviour, atOnce, later]) =>
    withDtOne(({ alerts, fake, provider }) =>
      Effect.gen(function* () {
        const order = yield* ordered()
        yield* provider.dispatch(order)
        fake.setStatus(xid, "REVERSED")
        fake.misbehaviours.plan(xid, misbehaviour, misbehaviour)
        const reversal = yield* reversalOf(order)
        assert.strictEqual((yield* provider.reverse(reversal))._tag, atOnce)
        assert.strictEqual((yield* provider.reversalStatus(reversal))._tag, later)
        assert.strictEqual(alerts.length, misbehaviour === "contradiction" ? 2 : 0)
      })
    )
  )

  it.effect("for less than the amount paid is left unknown and raises an alert", () =>
    withDtOne(({ alerts, fake, provider }) =>
      Effect.gen(function* () {
        const order = yield* ordered()
        yield* provider.dispatch(order)
        fake.setStatus(xid, "REVERSED")
        fake.overrideFields(xid, { adjusted_values: { destination: { unit: "DOP", amount: 95 } } })
        assert.strictEqual((yield* provider.reversalStatus(yield* reversalOf(order)))._tag, "Unknown")
        assert.deepStrictEqual(alerts, ["DT One returned a transaction that contradicts its order"])
      })
    )
  )
})
