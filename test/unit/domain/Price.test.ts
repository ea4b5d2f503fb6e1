import { assert, describe, expect, it } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"
import * as Sha256Node from "../../../adapters/crypto/Sha256Node.ts"
import { CompanyId, Identifier, ServiceId } from "../../../core/domain/Ids.ts"
import { makeOption, type OfferedOption } from "../../../core/domain/Lookup.ts"
import { Amount, Centavos } from "../../../core/domain/Money.ts"
import { type PriceRequest, price } from "../../../core/domain/Price.ts"
import { NamingFlow, type Service } from "../../../core/domain/Service.ts"
import { billService, company, factsOf, packageService, service } from "../../support/Examples.ts"

const customer = {
  companyId: CompanyId.make(1),
  serviceId: ServiceId.make(3),
  identifier: Identifier.make("8095551234")
}
const offer = { reference: "P1", name: "Mes 20 GB", price: Amount.make(10_000), validity: null, data: null }

describe("an option", () => {
  it.effect("has the same id for the same offer, and a different id for a simulated offer with the same name", () =>
    Effect.gen(function* () {
      const { id } = yield* makeOption("paquetes", customer, offer, false)
      const again = yield* makeOption("paquetes", customer, { ...offer, price: Amount.make(12_000) }, false)
      const example = yield* makeOption("paquetes", customer, offer, true)
      assert.strictEqual(again.id, id)
      assert.notStrictEqual(example.id, id)
    }).pipe(Effect.provide(Sha256Node.layer))
  )
})

const expiresAt = DateTime.makeUnsafe("2026-03-02T12:30:00.000Z")
const inTime = DateTime.subtract(expiresAt, { milliseconds: 1 })
const identifier = Identifier.make("8095551234")

const priceOf = (service: Service, request: Partial<PriceRequest>, option: OfferedOption | null = null, now = inTime) =>
  Result.match(price(service, { identifier, amount: null, optionId: null, ...request }, option, now), {
    onSuccess: (centavos) => centavos as number,
    onFailure: factsOf
  })

const priced = (changes: Partial<Service>, amount: number | null) =>
  priceOf({ ...service, ...changes }, { amount: amount === null ? null : Amount.make(amount) })

const bounds = (minimum: number, maximum: number) => ({
  minimum: Centavos.make(minimum),
  maximum: Centavos.make(maximum)
})

const outside = (minimum: number, maximum: number) => ({ _tag: "AmountOutOfRange", minimum, maximum })
const invalid = { _tag: "InvalidOption" }
const expired = { _tag: "OptionExpired" }

describe("the price of a sale with an amount of the caller's choice", () => {
  it.each([
    // minimum, maximum (centavos), requested -> price, or the refusal
    [2_000, 500_000, 2_000, 2_000],
    [2_000, 500_000, 500_000, 500_000],
    [2_000, 500_000, 1_999, outside(2_000, 500_000)],
    [2_000, 500_000, 500_001, outside(2_000, 500_000)],
    [2_050, 500_000, 2_000, outside(2_050, 500_000)],
    // 0 means no bound on that side.
    [0, 500_000, 1, 1],
    [0, 500_000, 500_001, outside(0, 500_000)],
    [2_000, 0, 999_999_999, 999_999_999],
    [2_000, 0, 1_999, outside(2_000, 0)],
    [0, 0, 1, 1],
    [5_000, 5_000, 5_000, 5_000],
    [2_000, 500_000, null, { _tag: "AmountRequired" }]
  ] as const)(
    "is computed for the range from %d to %d and the request %s as %j",
    (minimum, maximum, amount, expected) => {
      expect(priced(bounds(minimum, maximum), amount)).toEqual(expected)
    }
  )
})

const option: OfferedOption = {
  id: "paq-1",
  companyId: company.id,
  serviceId: packageService.id,
  identifier,
  reference: "1",
  name: "Semana 3 GB",
  price: Amount.make(15_050),
  validity: null,
  data: null,
  expiresAt
}

describe("a sale that needs an option", () => {
  it.each(NamingFlow.literals)("is refused in the flow %s with an explanation of how to obtain the option", (flow) => {
    const refused = { _tag: "OptionRequired", flow, howToBuy: service.howToBuy }
    expect(priced({ flow }, null)).toEqual(refused)
    expect(priced({ flow }, 10_000)).toEqual(refused)
  })

  it.each(NamingFlow.literals)("is refused in the flow %s if the option was not offered", (flow) => {
    expect(priceOf({ ...service, flow }, { optionId: "inventada" })).toEqual(invalid)
  })

  it("differs from a sale with an amount of the caller's choice, which is refused if it names an option", () => {
    expect(priceOf(service, { amount: Amount.make(10_000), optionId: "inventada" })).toEqual(invalid)
  })

  const amount = Amount.make(15_000)
  const other = Identifier.make("8095551235")
  const late = DateTime.add(expiresAt, { days: 1 })
  it.each([
    // request, time -> the price, or the refusal
    ["as it was offered", packageService, {}, inTime, 15_050],
    ["with its own price", packageService, { amount: option.price }, inTime, 15_050],
    ["with another price", packageService, { amount }, inTime, { _tag: "PriceMismatch", price: 15_050 }],
    ["for another identifier", packageService, { identifier: other }, inTime, invalid],
    ["of another service", billService, {}, inTime, invalid],
    ["at the instant at which it expires", packageService, {}, expiresAt, expired],
    ["a day after it expired", packageService, {}, late, expired],
    ["a day after it expired, with another price", packageService, { amount }, late, expired],
    ["a day after it expired, for another identifier", packageService, { identifier: other }, late, invalid]
  ] as ReadonlyArray<readonly [string, Service, Partial<PriceRequest>, DateTime.Utc, unknown]>)(
    "is sold or refused as the contract says: %s",
    (_, service, request, now, expected) => {
      expect(priceOf(service, { optionId: option.id, ...request }, option, now)).toEqual(expected)
    }
  )
})
