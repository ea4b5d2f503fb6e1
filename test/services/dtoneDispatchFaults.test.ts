import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Misbehaviour } from "../fakes/FakeServer.ts"
import { type DtOneWorld, ordered, withDtOne, xid } from "./support/DtOneWorld.ts"

/** Starts a sale in the background, so a test can move the clock meanwhile. */
const sellTo = Effect.fnUntraced(function* ({ provider }: DtOneWorld) {
  const order = yield* ordered()
  const sale = yield* Effect.forkChild(provider.dispatch(order))
  return { order, sale, answer: Fiber.join(sale) }
})

describe("a DT One fault while a sale is sent", () => {
  // Fault, outcome of the sale, number of deliveries, and the result of a later status query.
  it.effect.each([
    ["cut before", "Unknown", 0, "NotFound"],
    ["cut after", "Delivered", 1, "Delivered"],
    ["cut midway", "Delivered", 1, "Delivered"],
    ["broken before", "Unknown", 0, "NotFound"],
    ["broken after", "Delivered", 1, "Delivered"],
    ["garbage", "Delivered", 1, "Delivered"],
    ["duplicate", "Delivered", 1, "Delivered"],
    ["contradiction", "Unknown", 1, "Delivered"],
    ["late", "Unknown", 1, "Unknown"]
  ] as const)("of type %s gives the sale the outcome %s", ([misbehaviour, tag, times, later]) =>
    withDtOne((world) =>
      Effect.gen(function* () {
        const { fake, provider } = world
        fake.misbehaviours.plan(xid, misbehaviour)
        const { answer, order } = yield* sellTo(world)
        assert.strictEqual((yield* answer)._tag, tag)
        assert.strictEqual((yield* provider.status(order))._tag, later)
        assert.strictEqual(fake.truth.of(xid).times, times)
        assert.deepStrictEqual(fake.sent, [xid])
      })
    )
  )

  it.effect.each([
    ["silent before", "Unknown", 0],
    ["silent after", "Delivered", 1],
    ["trickle", "Delivered", 1]
  ] as const)(
    "of type %s is followed by a status query after twelve seconds, and gives the sale the outcome %s",
    ([misbehaviour, tag, times]) =>
      withDtOne((world) =>
        Effect.gen(function* () {
          const { fake, pass } = world
          fake.misbehaviours.plan(xid, misbehaviour)
          const { answer, sale } = yield* sellTo(world)
          yield* fake.awaitRequests(xid)
          yield* pass("11999 millis")
          assert.isUndefined(sale.pollUnsafe())
          yield* pass("1 millis")
          assert.strictEqual((yield* answer)._tag, tag)
          assert.strictEqual(fake.truth.of(xid).times, times)
          assert.deepStrictEqual(fake.sent, [xid])
        })
      )
  )

  it.effect("of type late gives the sale the outcome Delivered once DT One has delivered", () =>
    withDtOne((world) =>
      Effect.gen(function* () {
        const { fake, pass, provider } = world
        fake.misbehaviours.plan(xid, "late")
        const { answer, order } = yield* sellTo(world)
        yield* answer
        yield* pass("10 minutes")
        assert.strictEqual((yield* provider.status(order))._tag, "Delivered")
        assert.deepStrictEqual(fake.truth.of(xid), { times: 1, charged: 10_000 })
      })
    )
  )
})

describe("a DT One fault during status queries", () => {
  // Faults of consecutive queries, and the outcome of the sale.
  it.effect.each([
    [["cut before"], "Delivered"],
    [["cut after", "cut midway", "broken after"], "Delivered"],
    [["garbage", "garbage"], "Delivered"],
    [["not found", "not found", "not found"], "Delivered"],
    [["contradiction"], "Unknown"],
    // Two transactions with one external id contradict each other.
    [["duplicate"], "Unknown"]
  ] satisfies ReadonlyArray<readonly [ReadonlyArray<Misbehaviour>, string]>)(
    "of the types %j gives the sale the outcome %s",
    ([misbehaviours, tag]) =>
      withDtOne((world) =>
        Effect.gen(function* () {
          const { alerts, fake } = world
          fake.misbehaviours.plan(xid, null, ...misbehaviours)
          const { answer } = yield* sellTo(world)
          assert.strictEqual((yield* answer)._tag, tag)
          assert.strictEqual(alerts.length, tag === "Unknown" ? 1 : 0)
          assert.deepStrictEqual(fake.sent, [xid])
        })
      )
  )

  it.effect.each(["silent after", "trickle"] as const)(
    "of type %s is followed by another query after six seconds",
    (misbehaviour) =>
      withDtOne((world) =>
        Effect.gen(function* () {
          const { fake, pass } = world
          fake.misbehaviours.plan(xid, null, misbehaviour)
          const { answer, sale } = yield* sellTo(world)
          yield* fake.awaitRequests(xid, 2)
          yield* pass("5999 millis")
          assert.isUndefined(sale.pollUnsafe())
          yield* pass("1 millis")
          assert.strictEqual((yield* answer)._tag, "Delivered")
          assert.deepStrictEqual(fake.sent, [xid])
        })
      )
  )

  it.effect("that leaves every query unanswered leaves the sale to recovery after 25 seconds", () =>
    withDtOne((world) =>
      Effect.gen(function* () {
        const { fake, pass } = world
        fake.misbehaviours.plan(xid, "silent after", "silent after", "silent after", "silent after")
        const { answer, sale } = yield* sellTo(world)
        yield* fake.awaitRequests(xid)
        yield* pass("12 seconds")
        yield* fake.awaitRequests(xid, 2)
        yield* pass("6 seconds")
        yield* fake.awaitRequests(xid, 3)
        yield* pass("5499 millis")
        assert.isUndefined(sale.pollUnsafe())
        yield* pass("1 millis")
        assert.strictEqual((yield* answer)._tag, "Unknown")
        assert.deepStrictEqual(fake.sent, [xid])
      })
    )
  )
})

describe("a transaction that DT One returns for an order", () => {
  // Fields of the transaction, and whether it is accepted.
  it.effect.each([
    ["another external id", { external_id: "RD-000000000000000000000000" }, false],
    ["another product", { product: { id: 1002 } }, false],
    ["another phone", { credit_party_identifier: { mobile_number: "+18295550000" } }, false],
    ["another amount", { requested_values: { destination: { unit: "DOP", amount: 99.99 } } }, false],
    ["another currency", { requested_values: { destination: { unit: "USD", amount: 100 } } }, false],
    ["an adjusted amount", { adjusted_values: { destination: { unit: "DOP", amount: 95 } } }, false],
    ["no amounts", { requested_values: null, adjusted_values: null }, true],
    ["no phone", { credit_party_identifier: null }, true],
    ["no product", { product: null }, true]
  ] as const)("is accepted unless it contradicts the order: %s", ([, told, accepted]) =>
    withDtOne((world) =>
      Effect.gen(function* () {
        const { alerts, fake, provider } = world
        fake.overrideFields(xid, told)
        const { answer, order } = yield* sellTo(world)
        assert.strictEqual((yield* answer)._tag, accepted ? "Delivered" : "Unknown")
        assert.strictEqual((yield* provider.status(order))._tag, accepted ? "Delivered" : "Unknown")
        assert.strictEqual(alerts.includes("DT One returned a transaction that contradicts its order"), !accepted)
      })
    )
  )
})
