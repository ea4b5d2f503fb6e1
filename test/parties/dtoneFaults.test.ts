import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { DispatchAnswer } from "../../core/domain/Sale.ts"
import type { Misbehaviour } from "../fakes/FakeServer.ts"
import { type DtOneWorld, ordered, withDtOne, xid } from "./support/DtOneWorld.ts"

const invalidPhone = DispatchAnswer.Refused({ refusal: "INVALID_PHONE" })
const invalidAmount = DispatchAnswer.Refused({ refusal: "INVALID_AMOUNT" })
const rejected = DispatchAnswer.Refused({ refusal: "TRANSACTION_REJECTED" })
const notSent = DispatchAnswer.NotSent()
const unknown = DispatchAnswer.Unknown()

describe("a sale that DT One answers with an error", () => {
  // HTTP status, error codes -> the answer
  it.effect.each([
    [400, [1000400], rejected],
    [401, [1000401], notSent],
    [401, [], notSent],
    [429, [1000429], notSent],
    [429, [], notSent],
    [404, [1003001], rejected],
    [400, [1003002], invalidAmount],
    [400, [1003003], rejected],
    [400, [1005003], invalidPhone],
    [404, [1005004], rejected],
    [404, [1005005], rejected],
    [404, [1005006], rejected],
    [400, [1005503], rejected],
    [400, [1006001], notSent],
    [400, [1006003], rejected],
    [404, [1006009], notSent],
    [400, [1006503], invalidPhone],
    [400, [1007500], rejected],
    // A wrong address answers so too, and what has happened there nobody knows.
    [404, [1000404], unknown],
    [404, [1008004], unknown],
    [500, [1009001], unknown],
    [503, [1009503], unknown],
    // Nothing that is not documented is firm.
    [400, [], unknown],
    [403, [], unknown],
    [409, [], unknown],
    [400, [1999999], unknown],
    [500, [1005003], unknown],
    [400, [1009001], unknown],
    [302, [], unknown],
    [200, [1005003], unknown],
    // Of several the least firm counts.
    [400, [1005003, 1999999], unknown],
    [400, [1005003, 1006001], notSent],
    [400, [1003002, 1005003], invalidAmount]
  ] as const)("%d %j", ([status, codes, answer]) =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        fake.failNext(xid, status, ...codes)
        assert.deepStrictEqual(yield* provider.dispatch(yield* ordered()), answer)
        assert.deepStrictEqual(fake.sent, [xid])
        assert.deepStrictEqual(fake.truth.delivered, [])
      })
    )
  )

  it.effect.each([
    [401, 1000401],
    [429, 1000429],
    [400, 1006001]
  ] as const)("of the operator's own, %d %d, is an alert and no refusal", ([status, code]) =>
    withDtOne(({ alerts, fake, provider }) =>
      Effect.gen(function* () {
        fake.failNext(xid, status, code)
        yield* provider.dispatch(yield* ordered())
        assert.deepStrictEqual(alerts, ["DT One rejected a sale because of our credentials, balance or rate"])
      })
    )
  )

  it.effect("is turned away when the secret is wrong", () =>
    withDtOne(
      ({ fake, provider }) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* provider.dispatch(yield* ordered()), notSent)
          assert.strictEqual((yield* provider.status(yield* ordered()))._tag, "Unknown")
          assert.deepStrictEqual(fake.truth.delivered, [])
        }),
      { secret: "otro" }
    )
  )

  it.effect("that its name is taken is asked about, and the first sale's end is its end", () =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        const order = yield* ordered()
        assert.strictEqual((yield* provider.dispatch(order))._tag, "Delivered")
        assert.strictEqual((yield* provider.dispatch(order))._tag, "Delivered")
        assert.deepStrictEqual(fake.truth.of(xid), { times: 1, charged: 10_000 })
      })
    )
  )

  it.effect.each([
    ["less than the product's least", { centavos: 100 }, invalidAmount],
    ["a product that the account does not have", { product: "4711" }, rejected]
  ] as const)("because it asks for %s", ([, sold, answer]) =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* provider.dispatch(yield* ordered(sold)), answer)
        assert.deepStrictEqual(fake.truth.delivered, [])
      })
    )
  )
})

describe("an answer of DT One's that is longer than any that it gives", () => {
  it.effect("is not read to its end, and is no answer", () =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        fake.overrideFields(xid, { operator_reference: "A".repeat(9 * 1024 * 1024) })
        assert.deepStrictEqual(yield* provider.dispatch(yield* ordered()), unknown)
        fake.overrideFields(xid, {})
        assert.strictEqual((yield* provider.status(yield* ordered()))._tag, "Delivered")
      })
    )
  )
})

describe("the address of DT One", () => {
  it.effect.each(["", "/", "/v1", "/v1/"])("may end in %j", (end) =>
    withDtOne(
      ({ provider }) =>
        Effect.gen(function* () {
          assert.strictEqual((yield* provider.dispatch(yield* ordered()))._tag, "Delivered")
        }),
      { at: (url) => `${url}${end}` }
    )
  )
})

describe("a DT One that cannot be reached", () => {
  it.effect.each([
    ["refuses connections", "http://127.0.0.1:1"],
    ["has no address", "http://dtone.invalid"],
    ["is no address", "http://[::zz]"]
  ] as const)("because it %s has sold nothing, and the key may be used again", ([, baseUrl]) =>
    withDtOne(
      ({ alerts, provider }) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* provider.dispatch(yield* ordered()), notSent)
          assert.strictEqual((yield* provider.status(yield* ordered()))._tag, "NotAsked")
          assert.deepStrictEqual(alerts, ["DT One cannot be reached"])
        }),
      { at: () => baseUrl }
    )
  )
})

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
        yield* fake.awaitRequests(xid, 2)
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
        fake.overrideFields(xid, told)
        const { answer, order } = yield* sellTo(world)
        assert.strictEqual((yield* answer)._tag, believed ? "Delivered" : "Unknown")
        assert.strictEqual((yield* provider.status(order))._tag, believed ? "Delivered" : "Unknown")
        assert.strictEqual(alerts.includes("DT One returned a transaction that contradicts its order"), !believed)
      })
    )
  )
})
