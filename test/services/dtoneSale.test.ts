import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { productIds, statement } from "../fakes/DtOneData.ts"
import { ordered, type Sold, withDtOne, xid } from "./support/DtOneWorld.ts"

describe("a sale through DT One", () => {
  // Last three digits of the number in DT One's sandbox, outcome, and authorization code or refusal.
  it.effect.each([
    ["100", "Delivered", "OP2400000000"],
    ["200", "Delivered", "OP2400000000"],
    ["101", "Delivered", "12345678901234567890"],
    ["102", "Refused", "INVALID_PHONE"],
    ["202", "Refused", "INVALID_PHONE"],
    ["103", "Refused", "TRANSACTION_REJECTED"],
    ["104", "Refused", "TRANSACTION_REJECTED"],
    ["105", "Refused", "TRANSACTION_REJECTED"],
    ["106", "Refused", "TRANSACTION_REJECTED"],
    ["107", "Refused", "TRANSACTION_REJECTED"],
    ["300", "Unknown", null],
    ["302", "Unknown", null]
  ] as const)("to a number that ends in %s ends as %s: %s", ([suffix, tag, code]) =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        const answer = yield* provider.dispatch(yield* ordered({ identifier: `8095551${suffix}` }))
        assert.strictEqual(answer._tag, tag)
        if (answer._tag === "Delivered") assert.strictEqual(answer.delivery.authCode, code)
        if (answer._tag === "Refused") assert.strictEqual(answer.refusal, code)
        assert.deepStrictEqual(fake.sent, [xid])
      })
    )
  )

  it.effect("is queried seven times with growing pauses while its caller waits, and not afterwards", () =>
    withDtOne(({ fake, pass, provider }) =>
      Effect.gen(function* () {
        yield* provider.dispatch(yield* ordered({ identifier: "8095551300" }))
        const questions = fake.requests.filter(({ path }) => path === "/v1/transactions")
        assert.strictEqual(questions.length, 7)
        yield* pass("5 minutes")
        assert.strictEqual(fake.requests.length, 8)
      })
    )
  )

  it.effect.each([
    [
      "a free amount, in DOP",
      { centavos: 10_050 },
      {
        product_id: productIds.topUp,
        credit_party_identifier: { mobile_number: "+18095551234" },
        calculation_mode: "DESTINATION_AMOUNT",
        destination: { unit_type: "CURRENCY", unit: "DOP", amount: 100.5 }
      }
    ],
    [
      "a free amount for an account",
      { type: "platform_sport", identifier: "JUG-77", product: String(productIds.credit) },
      {
        product_id: productIds.credit,
        credit_party_identifier: { account_number: "JUG-77" },
        calculation_mode: "DESTINATION_AMOUNT",
        destination: { unit_type: "CURRENCY", unit: "DOP", amount: 100 }
      }
    ],
    [
      "a package, with the DT One product of the package",
      {
        type: "data_package",
        product: String(productIds.operator),
        reference: `dtone:producto:${productIds.week}`,
        centavos: 15_050
      },
      { product_id: productIds.week, credit_party_identifier: { mobile_number: "+18095551234" } }
    ]
  ] satisfies ReadonlyArray<readonly [string, Sold, object]>)("sends the request for %s", ([, sold, body]) =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        const order = yield* ordered(sold)
        assert.strictEqual((yield* provider.dispatch(order))._tag, "Delivered")
        assert.deepStrictEqual(fake.requests[0]?.body, { external_id: xid, auto_confirm: true, ...body })
        assert.deepStrictEqual(fake.truth.of(xid), { times: 1, charged: order.amount })
      })
    )
  )

  const electricity = {
    type: "electricity_prepaid",
    identifier: "NIC-5501",
    product: String(productIds.electricity)
  } as const

  it.effect("of electricity returns the token in groups of four digits", () =>
    withDtOne(({ provider }) =>
      Effect.gen(function* () {
        const answer = yield* provider.dispatch(yield* ordered(electricity))
        assert.deepStrictEqual(answer, {
          _tag: "Delivered",
          delivery: { authCode: "OP2400000000", rechargeToken: "1234 5678 9012 3456 7890" }
        })
      })
    )
  )

  it.effect.each([
    ["no PIN", { pin: null }],
    ["neither a PIN nor a product", { pin: null, product: null }],
    ["an unprintable PIN", { pin: { code: "1".repeat(101), serial: null }, product: { id: productIds.electricity } }]
  ] as const)("of electricity with %s is delivered without a token, and raises an alert", ([, told]) =>
    withDtOne(({ alerts, fake, provider }) =>
      Effect.gen(function* () {
        fake.overrideFields(xid, told)
        const answer = yield* provider.dispatch(yield* ordered(electricity))
        assert.deepStrictEqual(answer, {
          _tag: "Delivered",
          delivery: { authCode: "OP2400000000", rechargeToken: null }
        })
        assert.deepStrictEqual(alerts, ["DT One delivered a PIN but did not return it"])
      })
    )
  )

  // Response of the provider, and authorization code on the receipt.
  it.effect.each([
    ["a missing operator reference", { operator_reference: null }, "2400000000"],
    ["a blank reference", { operator_reference: "  " }, "2400000000"],
    ["an unprintable operator reference", { operator_reference: "A\u0000B" }, "2400000000"],
    ["hidden characters in the operator reference", { operator_reference: "\u202eR\u200b-1" }, "R-1"],
    ["an operator reference of hidden characters", { operator_reference: "\u200b\u2066" }, "2400000000"],
    ["a serial number only", { operator_reference: null, pin: { code: null, serial: "S-9" } }, "S-9"],
    ["a transaction id that is text", { operator_reference: null, id: " T-7 " }, "T-7"],
    ["an unprintable transaction id", { operator_reference: null, id: "A\u0000B" }, xid],
    ["a transaction id of 101 digits", { operator_reference: null, id: "9".repeat(101) }, xid],
    ["a transaction id beyond 2^53", { operator_reference: null, id: 2 ** 60 }, xid],
    ["unknown fields", { operator_reference: "R-1", novelty: { of: [1, 2] } }, "R-1"]
  ] as const)("is delivered in spite of %s", ([, told, authCode]) =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        fake.overrideFields(xid, told)
        const answer = yield* provider.dispatch(yield* ordered())
        assert.deepStrictEqual(answer, { _tag: "Delivered", delivery: { authCode, rechargeToken: null } })
      })
    )
  )

  it.effect("with a definite first response is not queried", () =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        fake.overrideFields(xid, { status: { id: 1, message: "REJECTED", class: { id: 3, message: "REJECTED" } } })
        const answer = yield* provider.dispatch(yield* ordered())
        assert.deepStrictEqual(answer, { _tag: "Refused", refusal: "TRANSACTION_REJECTED" })
        assert.strictEqual(fake.requests.length, 1)
      })
    )
  )

  it.effect.each([
    ["REJECTED-INVALID-CREDIT-PARTY", "INVALID_PHONE", 0],
    ["REJECTED-OPERATOR-CURRENTLY-UNAVAILABLE", "TRANSACTION_REJECTED", 0],
    // DT One has used the xid, so a retry under the same key cannot succeed.
    ["REJECTED-INSUFFICIENT-BALANCE", "TRANSACTION_REJECTED", 1],
    ["CANCELLED", "TRANSACTION_REJECTED", 0]
  ] as const)("with the status %s is refused as %s", ([status, refusal, alerts]) =>
    withDtOne((world) =>
      Effect.gen(function* () {
        world.fake.overrideFields(xid, { status: { message: status, class: { message: status.split("-")[0] } } })
        assert.deepStrictEqual(yield* world.provider.dispatch(yield* ordered()), { _tag: "Refused", refusal })
        assert.strictEqual(world.alerts.length, alerts)
      })
    )
  )
})

describe("an order that DT One cannot process", () => {
  it.effect.each([
    ["a phone with hyphens", { identifier: "809-555-1234" }, "Refused"],
    ["a phone with a country code", { identifier: "+18095551234" }, "Refused"],
    ["a package code of the catalogue", { type: "data_package", reference: "CM-DIA-1GB" }, "Refused"],
    ["an option of another provider", { type: "data_package", reference: String(productIds.week) }, "Refused"],
    ["an option that is not a number", { type: "data_package", reference: "dtone:producto:dos" }, "Refused"],
    ["a simulated bill", { type: "generic", identifier: "5501", reference: "ejemplo-2026-03" }, "Refused"],
    ["a service without a product", { product: null }, "NotSent"],
    ["a product that is not a number", { product: "claro" }, "NotSent"],
    ["a product id beyond 32 bits", { product: "9999999999" }, "NotSent"]
  ] satisfies ReadonlyArray<readonly [string, Sold, string]>)("is not sent, because it has %s", ([, sold, tag]) =>
    withDtOne(({ alerts, fake, provider }) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* provider.dispatch(yield* ordered(sold)))._tag, tag)
        assert.deepStrictEqual(fake.requests, [])
        assert.strictEqual(alerts.length, tag === "NotSent" ? 1 : 0)
      })
    )
  )
})

describe("a bill from a lookup", () => {
  const sold = {
    type: "generic",
    product: String(productIds.bills),
    reference: "dtone:factura:Ene 2026",
    identifier: "550011",
    centavos: 25_075
  } as const

  it.effect.each([
    [statement("Ene 2026", 250.75, "2026-02-15"), { reference: "Ene 2026", due_date: "2026-02-15" }],
    [statement("Ene 2026", 250.75), { reference: "Ene 2026" }],
    [statement("Ene 2026", 250.75, "pronto"), { reference: "Ene 2026" }]
  ] as const)("is paid with its amount and reference: %j", ([due, named]) =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        fake.setBills("550011", due, statement("Feb 2026", 300))
        assert.strictEqual((yield* provider.dispatch(yield* ordered(sold)))._tag, "Delivered")
        assert.deepStrictEqual(fake.requests.find(({ about }) => about === xid)?.body, {
          external_id: xid,
          product_id: productIds.bills,
          auto_confirm: true,
          credit_party_identifier: { account_number: "550011" },
          calculation_mode: "DESTINATION_AMOUNT",
          destination: { unit_type: "CURRENCY", unit: "DOP", amount: 250.75 },
          statement_identifier: named
        })
        assert.deepStrictEqual(fake.truth.of(xid), { times: 1, charged: 25_075 })
      })
    )
  )

  it.effect.each([
    ["was paid elsewhere", [], { _tag: "Refused", refusal: "TRANSACTION_REJECTED" }],
    ["costs more now", [statement("Ene 2026", 275)], { _tag: "Refused", refusal: "INVALID_AMOUNT" }]
  ] as const)("that %s is not paid", ([, due, answer]) =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        fake.setBills("550011", ...due)
        assert.deepStrictEqual(yield* provider.dispatch(yield* ordered(sold)), answer)
        assert.deepStrictEqual(fake.sent, [])
      })
    )
  )

  it.effect("is not paid more than 20 seconds after the reservation, and its sale stays unresolved", () =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        fake.setBills("550011", statement("Ene 2026", 250.75))
        const order = yield* ordered(sold)
        const aged = (seconds: number) => ({ ...order, createdAt: DateTime.subtract(order.createdAt, { seconds }) })
        assert.strictEqual((yield* provider.dispatch(aged(21)))._tag, "Unknown")
        assert.deepStrictEqual(fake.sent, [])
        assert.strictEqual((yield* provider.dispatch(aged(20)))._tag, "Delivered")
      })
    )
  )

  it.effect("is not paid if it cannot be looked up again before the payment", () =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        fake.misbehaviours.plan("550011", "broken before")
        assert.strictEqual((yield* provider.dispatch(yield* ordered(sold)))._tag, "NotSent")
        assert.deepStrictEqual(fake.sent, [])
      })
    )
  )

  it.effect("leaves its sale unresolved when DT One reports that another bill was paid", () =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        fake.setBills("550011", statement("Ene 2026", 250.75))
        fake.overrideFields(xid, { statement_identifier: { reference: "Feb 2026" } })
        assert.strictEqual((yield* provider.dispatch(yield* ordered(sold)))._tag, "Unknown")
      })
    )
  )
})
