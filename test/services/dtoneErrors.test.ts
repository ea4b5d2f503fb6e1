import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { DispatchAnswer } from "../../core/domain/Sale.ts"
import { ordered, withDtOne, xid } from "./support/DtOneWorld.ts"

const invalidPhone = DispatchAnswer.Refused({ refusal: "INVALID_PHONE" })
const invalidAmount = DispatchAnswer.Refused({ refusal: "INVALID_AMOUNT" })
const rejected = DispatchAnswer.Refused({ refusal: "TRANSACTION_REJECTED" })
const notSent = DispatchAnswer.NotSent()
const unknown = DispatchAnswer.Unknown()

describe("a sale that DT One answers with an error", () => {
  // HTTP status, error codes, and the outcome of the sale.
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
    // A wrong URL has the same response, so the outcome is unknown.
    [404, [1000404], unknown],
    [404, [1008004], unknown],
    [500, [1009001], unknown],
    [503, [1009503], unknown],
    // An undocumented response leaves the outcome unknown.
    [400, [], unknown],
    [403, [], unknown],
    [409, [], unknown],
    [400, [1999999], unknown],
    [500, [1005003], unknown],
    [400, [1009001], unknown],
    [302, [], unknown],
    [200, [1005003], unknown],
    // If a response has several error codes, the least definite code decides the outcome.
    [400, [1005003, 1999999], unknown],
    [400, [1005003, 1006001], notSent],
    [400, [1003002, 1005003], invalidAmount]
  ] as const)(
    "has the outcome that follows from the HTTP status and the error codes: %d %j",
    ([status, codes, answer]) =>
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
  ] as const)("caused by our own account, %d %d, raises an alert", ([status, code]) =>
    withDtOne(({ alerts, fake, provider }) =>
      Effect.gen(function* () {
        fake.failNext(xid, status, code)
        yield* provider.dispatch(yield* ordered())
        assert.deepStrictEqual(alerts, ["DT One rejected a sale because of our credentials, balance or rate"])
      })
    )
  )

  it.effect("counts as not sent when the API secret is wrong", () =>
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

  it.effect("for a repeated external id returns the outcome of the first sale", () =>
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
    ["less than the product's minimum", { centavos: 100 }, invalidAmount],
    ["a product that the account may not sell", { product: "4711" }, rejected]
  ] as const)("is refused when it has %s", ([, sold, answer]) =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* provider.dispatch(yield* ordered(sold)), answer)
        assert.deepStrictEqual(fake.truth.delivered, [])
      })
    )
  )
})

describe("a response of DT One above 8 MiB", () => {
  it.effect("is not read to its end and leaves the outcome unknown", () =>
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

describe("the configured URL of DT One", () => {
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

describe("a sale while DT One cannot be reached", () => {
  it.effect.each([
    ["refuses connections", "http://127.0.0.1:1"],
    ["has no DNS record", "http://dtone.invalid"],
    ["has an invalid address", "http://[::zz]"]
  ] as const)("is not sent and its key can be used again, when the host %s", ([, baseUrl]) =>
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
