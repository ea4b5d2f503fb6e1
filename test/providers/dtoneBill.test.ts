import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { productIds, statement } from "../fakes/DtOneData.ts"
import { ordered, withDtOne, xid } from "./support/DtOneWorld.ts"

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
        fake.owe("550011", due, statement("Feb 2026", 300))
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
        fake.owe("550011", ...due)
        assert.deepStrictEqual(yield* provider.dispatch(yield* ordered(sold)), answer)
        assert.deepStrictEqual(fake.sent, [])
      })
    )
  )

  it.effect("and was recorded too long ago by then is not sent, and stays open", () =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        fake.owe("550011", statement("Ene 2026", 250.75))
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
        fake.owe("550011", statement("Ene 2026", 250.75))
        fake.tell(xid, { statement_identifier: { reference: "Feb 2026" } })
        assert.strictEqual((yield* provider.dispatch(yield* ordered(sold)))._tag, "Unknown")
      })
    )
  )
})
