import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { productIds, statement } from "../fakes/DtOneData.ts"
import { ordered, type Sold, withDtOne, xid } from "./support/DtOneWorld.ts"

describe("a sale through DT One", () => {
  // the sandbox's last three digits -> the answer, its refusal or authorization code
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
  ] as const)("to a number that ends in %s is %s: %s", ([suffix, tag, code]) =>
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

  it.effect("is asked about more and more rarely while its caller waits, and never after", () =>
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
      "a package, by its own product",
      {
        type: "data_package",
        product: String(productIds.operator),
        reference: `dtone:producto:${productIds.week}`,
        centavos: 15_050
      },
      { product_id: productIds.week, credit_party_identifier: { mobile_number: "+18095551234" } }
    ]
  ] satisfies ReadonlyArray<readonly [string, Sold, object]>)("asks for %s", ([, sold, body]) =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        const order = yield* ordered(sold)
        assert.strictEqual((yield* provider.dispatch(order))._tag, "Delivered")
        assert.deepStrictEqual(fake.requests[0]?.body, { external_id: xid, auto_confirm: true, ...body })
        assert.deepStrictEqual(fake.truth.of(xid), { times: 1, charged: order.amount })
      })
    )
  )

  it.effect("of electricity brings the meter's token in groups of four", () =>
    withDtOne(({ provider }) =>
      Effect.gen(function* () {
        const sold = {
          type: "electricity_prepaid",
          identifier: "NIC-5501",
          product: String(productIds.electricity)
        } as const
        const answer = yield* provider.dispatch(yield* ordered(sold))
        assert.deepStrictEqual(answer, {
          _tag: "Delivered",
          delivery: { authCode: "OP2400000000", rechargeToken: "1234 5678 9012 3456 7890" }
        })
      })
    )
  )

  it.effect.each([
    ["no PIN", { pin: null }],
    ["no PIN, nor what it sold", { pin: null, product: null }],
    [
      "a PIN that nobody can print",
      { pin: { code: "1".repeat(101), serial: null }, product: { id: productIds.electricity } }
    ]
  ] as const)("of electricity that tells %s is delivered, and somebody has to look for its token", ([, told]) =>
    withDtOne(({ alerts, fake, provider }) =>
      Effect.gen(function* () {
        fake.overrideFields(xid, told)
        const sold = {
          type: "electricity_prepaid",
          identifier: "NIC-5501",
          product: String(productIds.electricity)
        } as const
        const answer = yield* provider.dispatch(yield* ordered(sold))
        assert.deepStrictEqual(answer, {
          _tag: "Delivered",
          delivery: { authCode: "OP2400000000", rechargeToken: null }
        })
        assert.deepStrictEqual(alerts, ["DT One delivered a PIN but did not return it"])
      })
    )
  )

  // what the provider tells -> what the receipt shows
  it.effect.each([
    ["an operator that gives no reference", { operator_reference: null }, "2400000000"],
    ["a blank reference", { operator_reference: "  " }, "2400000000"],
    ["a reference that no receipt can show", { operator_reference: "A\u0000B" }, "2400000000"],
    ["a serial alone", { operator_reference: null, pin: { code: null, serial: "S-9" } }, "S-9"],
    ["a number of its own that is text", { operator_reference: null, id: " T-7 " }, "T-7"],
    ["a number that is no number", { operator_reference: null, id: "A\u0000B" }, xid],
    ["a number as long as a page", { operator_reference: null, id: "9".repeat(101) }, xid],
    ["a number that a double has rounded", { operator_reference: null, id: 2 ** 60 }, xid],
    ["fields that nobody has heard of", { operator_reference: "R-1", novelty: { of: [1, 2] } }, "R-1"]
  ] as const)("is delivered in spite of %s", ([, told, authCode]) =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        fake.overrideFields(xid, told)
        const answer = yield* provider.dispatch(yield* ordered())
        assert.deepStrictEqual(answer, { _tag: "Delivered", delivery: { authCode, rechargeToken: null } })
      })
    )
  )

  it.effect("that is firm at once is not asked about", () =>
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
    // The xid is used up, so the same key cannot be tried again.
    ["REJECTED-INSUFFICIENT-BALANCE", "TRANSACTION_REJECTED", 1],
    ["CANCELLED", "TRANSACTION_REJECTED", 0]
  ] as const)("that ends as %s is refused as %s", ([status, refusal, alerts]) =>
    withDtOne((world) =>
      Effect.gen(function* () {
        world.fake.overrideFields(xid, { status: { message: status, class: { message: status.split("-")[0] } } })
        assert.deepStrictEqual(yield* world.provider.dispatch(yield* ordered()), { _tag: "Refused", refusal })
        assert.strictEqual(world.alerts.length, alerts)
      })
    )
  )
})

describe("an order that DT One could not understand", () => {
  it.effect.each([
    ["a phone with hyphens", { identifier: "809-555-1234" }, "Refused"],
    ["a phone with the country's code", { identifier: "+18095551234" }, "Refused"],
    ["a code of the catalogue", { type: "data_package", reference: "CM-DIA-1GB" }, "Refused"],
    ["a number that another provider offered", { type: "data_package", reference: String(productIds.week) }, "Refused"],
    ["a product that is none", { type: "data_package", reference: "dtone:producto:dos" }, "Refused"],
    ["a bill of the simulator's", { type: "generic", identifier: "5501", reference: "ejemplo-2026-03" }, "Refused"],
    ["a service without a product", { product: null }, "NotSent"],
    ["a product that is no number", { product: "claro" }, "NotSent"],
    ["a product beyond what there are", { product: "9999999999" }, "NotSent"]
  ] satisfies ReadonlyArray<readonly [string, Sold, string]>)("because it has %s stays here", ([, sold, tag]) =>
    withDtOne(({ alerts, fake, provider }) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* provider.dispatch(yield* ordered(sold)))._tag, tag)
        assert.deepStrictEqual(fake.requests, [])
        assert.strictEqual(alerts.length, tag === "NotSent" ? 1 : 0)
      })
    )
  )
})

describe("a bill that was looked up", () => {
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
  ] as const)("is paid as it stands: %j", ([due, named]) =>
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
    ["costs more by now", [statement("Ene 2026", 275)], { _tag: "Refused", refusal: "INVALID_AMOUNT" }]
  ] as const)("and %s is not paid", ([, due, answer]) =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        fake.setBills("550011", ...due)
        assert.deepStrictEqual(yield* provider.dispatch(yield* ordered(sold)), answer)
        assert.deepStrictEqual(fake.sent, [])
      })
    )
  )

  it.effect("and was recorded too long ago by then is not sent, and stays open", () =>
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

  it.effect("and cannot be looked up again is not sent", () =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        fake.misbehaviours.plan("550011", "broken before")
        assert.strictEqual((yield* provider.dispatch(yield* ordered(sold)))._tag, "NotSent")
        assert.deepStrictEqual(fake.sent, [])
      })
    )
  )

  it.effect("of which another is told as paid stays held", () =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        fake.setBills("550011", statement("Ene 2026", 250.75))
        fake.overrideFields(xid, { statement_identifier: { reference: "Feb 2026" } })
        assert.strictEqual((yield* provider.dispatch(yield* ordered(sold)))._tag, "Unknown")
      })
    )
  )
})
