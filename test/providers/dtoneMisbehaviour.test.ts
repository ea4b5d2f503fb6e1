import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Misbehaviour } from "../fakes/FakeServer.ts"
import { type DtOneWorld, ordered, withDtOne, xid } from "./support/DtOneWorld.ts"

/** Begins a sale, which a test may have to wait for. */
const sellTo = Effect.fnUntraced(function* ({ provider }: DtOneWorld) {
  const order = yield* ordered()
  const sale = yield* Effect.forkChild(provider.dispatch(order))
  return { order, sale, answer: Fiber.join(sale) }
})

describe("DT One that misbehaves when a sale is sent", () => {
  // what it does -> the answer, how often it delivered, what is heard when it is asked later
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
  ] as const)("by %s: the sale is %s", ([misbehaviour, tag, times, later]) =>
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
  ] as const)("by being %s is asked after twelve seconds: the sale is %s", ([misbehaviour, tag, times]) =>
    withDtOne((world) =>
      Effect.gen(function* () {
        const { fake, pass } = world
        fake.misbehaviours.plan(xid, misbehaviour)
        const { answer, sale } = yield* sellTo(world)
        yield* fake.heard(xid)
        yield* pass("11999 millis")
        assert.isUndefined(sale.pollUnsafe())
        yield* pass("1 millis")
        assert.strictEqual((yield* answer)._tag, tag)
        assert.strictEqual(fake.truth.of(xid).times, times)
        assert.deepStrictEqual(fake.sent, [xid])
      })
    )
  )

  it.effect("late, is confirmed when it has delivered at last", () =>
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

describe("DT One that misbehaves when it is asked", () => {
  // what it does, again and again -> the answer
  it.effect.each([
    [["cut before"], "Delivered"],
    [["cut after", "cut midway", "broken after"], "Delivered"],
    [["garbage", "garbage"], "Delivered"],
    [["not found", "not found", "not found"], "Delivered"],
    [["contradiction"], "Unknown"],
    // Two transactions of one name are one too many.
    [["duplicate"], "Unknown"]
  ] satisfies ReadonlyArray<readonly [ReadonlyArray<Misbehaviour>, string]>)("by %j: %s", ([misbehaviours, tag]) =>
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

  it.effect.each(["silent after", "trickle"] as const)("by being %s is asked again after six seconds", (misbehaviour) =>
    withDtOne((world) =>
      Effect.gen(function* () {
        const { fake, pass } = world
        fake.misbehaviours.plan(xid, null, misbehaviour)
        const { answer, sale } = yield* sellTo(world)
        yield* fake.heard(xid, 2)
        yield* pass("5999 millis")
        assert.isUndefined(sale.pollUnsafe())
        yield* pass("1 millis")
        assert.strictEqual((yield* answer)._tag, "Delivered")
        assert.deepStrictEqual(fake.sent, [xid])
      })
    )
  )

  it.effect("and never answers is left to recovery after 25 seconds", () =>
    withDtOne((world) =>
      Effect.gen(function* () {
        const { fake, pass } = world
        fake.misbehaviours.plan(xid, "silent after", "silent after", "silent after", "silent after")
        const { answer, sale } = yield* sellTo(world)
        yield* fake.heard(xid)
        yield* pass("12 seconds")
        yield* fake.heard(xid, 2)
        yield* pass("6 seconds")
        yield* fake.heard(xid, 3)
        yield* pass("5499 millis")
        assert.isUndefined(sale.pollUnsafe())
        yield* pass("1 millis")
        assert.strictEqual((yield* answer)._tag, "Unknown")
        assert.deepStrictEqual(fake.sent, [xid])
      })
    )
  )
})

describe("DT One that tells of another sale", () => {
  // what is told -> whether it is believed
  it.effect.each([
    ["another name", { external_id: "RD-000000000000000000000000" }, false],
    ["another product", { product: { id: 1002 } }, false],
    ["another phone", { credit_party_identifier: { mobile_number: "+18295550000" } }, false],
    ["another amount", { requested_values: { destination: { unit: "DOP", amount: 99.99 } } }, false],
    ["another currency", { requested_values: { destination: { unit: "USD", amount: 100 } } }, false],
    ["an amount that it has changed", { adjusted_values: { destination: { unit: "DOP", amount: 95 } } }, false],
    ["no amounts", { requested_values: null, adjusted_values: null }, true],
    ["nobody", { credit_party_identifier: null }, true],
    ["no product", { product: null }, true]
  ] as const)("by telling %s", ([, told, believed]) =>
    withDtOne((world) =>
      Effect.gen(function* () {
        const { alerts, fake, provider } = world
        fake.tell(xid, told)
        const { answer, order } = yield* sellTo(world)
        assert.strictEqual((yield* answer)._tag, believed ? "Delivered" : "Unknown")
        assert.strictEqual((yield* provider.status(order))._tag, believed ? "Delivered" : "Unknown")
        assert.strictEqual(alerts.includes("DT One returned a transaction that contradicts its order"), !believed)
      })
    )
  )
})
