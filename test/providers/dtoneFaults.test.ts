import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Answer } from "../../core/domain/Sale.ts"
import { ordered, withDtOne, xid } from "./support/DtOneWorld.ts"

const invalidPhone = Answer.Refused({ refusal: "INVALID_PHONE" })
const invalidAmount = Answer.Refused({ refusal: "INVALID_AMOUNT" })
const rejected = Answer.Refused({ refusal: "TRANSACTION_REJECTED" })
const notSent = Answer.NotSent()
const unknown = Answer.Unknown()

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
        fake.insist(xid, status, ...codes)
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
        fake.insist(xid, status, code)
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
        fake.tell(xid, { operator_reference: "A".repeat(9 * 1024 * 1024) })
        assert.deepStrictEqual(yield* provider.dispatch(yield* ordered()), unknown)
        fake.tell(xid, {})
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
