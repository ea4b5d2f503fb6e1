import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as HttpProvider from "../../adapters/provider/HttpProvider.ts"
import { Identifier } from "../../core/domain/Ids.ts"
import { LookupAnswer } from "../../core/domain/Lookup.ts"
import { Amount } from "../../core/domain/Money.ts"
import { packageService, packages } from "../support/Examples.ts"
import { gatewayAt, isSilent, Outside, startProvider, unusedAddress } from "./support/Gateways.ts"

const identifier = Identifier.make("8095551234")
const query = { service: { ...packageService, product: "claro-datos" }, identifier, packages }

const { Found, NoAnswer, NoSuchIdentifier } = LookupAnswer

layer(Outside)("a lookup at an HTTP gateway", (it) => {
  it.effect("returns the holder and the offers", () =>
    Effect.gen(function* () {
      const { gateway, provider } = yield* startProvider
      gateway.found.set(identifier, {
        holder: "Titular de Prueba",
        offers: [
          { reference: "P1", name: "3 GB", price_centavos: 15_000, validity: "7 días", data: "3 GB" },
          { reference: "P2", name: "Minutos", price_centavos: 29_550 }
        ]
      })
      const offers = [
        { reference: "P1", name: "3 GB", price: Amount.make(15_000), validity: "7 días", data: "3 GB" },
        { reference: "P2", name: "Minutos", price: Amount.make(29_550), validity: null, data: null }
      ]
      assert.deepStrictEqual(yield* provider.lookup(query), Found({ found: { holder: "Titular de Prueba", offers } }))
      assert.deepStrictEqual(gateway.requests[0]?.body, {
        identifier,
        service: { id: 3, name: "Paquetes", type: "data_package", product: "claro-datos" },
        packages: [
          { code: "P1", name: "Paquete 1", price_centavos: 15_000 },
          { code: "P2", name: "Paquete 2", price_centavos: 29_550 }
        ]
      })
    })
  )

  it.effect("may return that there are no offers, or that the identifier does not exist", () =>
    Effect.gen(function* () {
      const { gateway, provider } = yield* startProvider
      assert.deepStrictEqual(yield* provider.lookup(query), NoSuchIdentifier())
      gateway.found.set(identifier, { offers: [] })
      assert.deepStrictEqual(yield* provider.lookup(query), Found({ found: { holder: null, offers: [] } }))
    })
  )

  const offer = { reference: "P1", name: "3 GB", price_centavos: 15_000 }

  it.effect("returns every text without its hidden characters", () =>
    Effect.gen(function* () {
      const { gateway, provider } = yield* startProvider
      const named = { ...offer, name: "3\u200b GB", validity: "\u202e7 días", data: "3 GB\ufeff" }
      gateway.replyNext(identifier, { status: 200, body: { outcome: "found", holder: "Ana\u200f", offers: [named] } })
      const offers = [{ reference: "P1", name: "3 GB", price: Amount.make(15_000), validity: "7 días", data: "3 GB" }]
      assert.deepStrictEqual(yield* provider.lookup(query), Found({ found: { holder: "Ana", offers } }))
    })
  )

  it.effect.each([
    [
      "two offers with one reference",
      { status: 200, body: { outcome: "found", offers: [offer, { ...offer, name: "4 GB" }] } }
    ],
    [
      "an offer without a price",
      { status: 200, body: { outcome: "found", offers: [{ ...offer, price_centavos: 0 }] } }
    ],
    ["an offer in pesos", { status: 200, body: { outcome: "found", offers: [{ ...offer, price_centavos: 150.5 }] } }],
    [
      "an offer without a reference",
      { status: 200, body: { outcome: "found", offers: [{ ...offer, reference: "" }] } }
    ],
    [
      "a hidden character in a reference",
      { status: 200, body: { outcome: "found", offers: [{ ...offer, reference: "P\u200b1" }] } }
    ],
    ["422, not processed", { status: 422, body: { outcome: "not_processed" } }],
    ["404", { status: 404, body: { outcome: "no_such_identifier" } }],
    ["500", { status: 500, body: { outcome: "found", offers: [] } }]
  ] as const)("has no result when the response has %s", ([, reply]) =>
    Effect.gen(function* () {
      const { gateway, provider } = yield* startProvider
      gateway.replyNext(identifier, reply)
      assert.deepStrictEqual(yield* provider.lookup(query), NoAnswer())
    })
  )

  it.effect.each(["cut before", "cut midway", "broken before", "garbage"] as const)(
    "has no result after the fault %s, and can be repeated",
    (misbehaviour) =>
      Effect.gen(function* () {
        const { gateway, provider } = yield* startProvider
        gateway.found.set(identifier, { offers: [] })
        gateway.misbehaviours.plan(identifier, misbehaviour)
        assert.deepStrictEqual(yield* provider.lookup(query), NoAnswer())
        assert.strictEqual((yield* provider.lookup(query))._tag, "Found")
      })
  )

  it.effect("waits until its caller stops waiting if no response arrives", () =>
    Effect.gen(function* () {
      const { gateway, provider } = yield* startProvider
      gateway.misbehaviours.plan(identifier, "trickle")
      assert.isTrue(yield* isSilent(provider.lookup(query), gateway.arrivals.reach(1)))
    })
  )

  it.effect("has no result when the gateway cannot be reached", () =>
    Effect.gen(function* () {
      const provider = yield* HttpProvider.make(gatewayAt(unusedAddress))
      assert.deepStrictEqual(yield* provider.lookup(query), NoAnswer())
    })
  )
})
