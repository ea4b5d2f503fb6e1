import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Identifier } from "../../core/domain/Ids.ts"
import { LookupAnswer, type LookupQuery, type Offer } from "../../core/domain/Lookup.ts"
import { Amount } from "../../core/domain/Money.ts"
import type { Service } from "../../core/domain/Service.ts"
import { type FakeProduct, productIds, products, statement } from "../fakes/DtOneData.ts"
import { billService, packageService, packages, service } from "../support/Examples.ts"
import { withDtOne } from "./support/DtOneWorld.ts"

const of = (service: Service, product: string | null, identifier: string): LookupQuery => ({
  service: { ...service, product },
  identifier: Identifier.make(identifier),
  packages
})

const bundles = of(packageService, String(productIds.operator), "8095551234")
const bundleOf = (id: number): FakeProduct => {
  const product = products.find((each) => each.id === id)
  if (product === undefined) throw new Error(`the fake sells no ${id}`)
  return product
}

const water = of(billService, String(productIds.bills), "550011")

const offer = (
  reference: string,
  name: string,
  centavos: number,
  validity: string | null,
  data: string | null
): Offer => ({
  reference,
  name,
  price: Amount.make(centavos),
  validity,
  data
})

const found = (...offers: ReadonlyArray<Offer>) => LookupAnswer.Found({ found: { holder: null, offers } })

describe("a lookup at DT One", () => {
  it.effect("returns the operator's packages that are priced in pesos and require only a phone number", () =>
    withDtOne(({ provider }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(
          yield* provider.lookup(bundles),
          found(
            offer("dtone:producto:2001", "Día 1 GB", 5_000, "1 día", "1 GB"),
            offer("dtone:producto:2002", "Semana 2 GB", 15_050, "7 días", "2 GB"),
            offer("dtone:producto:2003", "Ilimitado", 90_000, "Sin vencimiento", "Ilimitado"),
            offer("dtone:producto:2004", "De paso", 1_000, null, null)
          )
        )
      })
    )
  )

  it.effect("returns the name of a package without its hidden characters", () =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        const named = { ...bundleOf(productIds.day), name: "\u202eDía\u200b 1 GB" }
        fake.replyNext(String(productIds.operator), { status: 200, body: [named] })
        assert.deepStrictEqual(
          yield* provider.lookup(bundles),
          found(offer("dtone:producto:2001", "Día 1 GB", 5_000, "1 día", "1 GB"))
        )
      })
    )
  )

  it.effect("reads every page of the products", () =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        const operator = String(productIds.operator)
        fake.replyNext(operator, { status: 200, body: [], headers: { "x-total-pages": "2" } })
        const answer = yield* provider.lookup(bundles)
        assert.deepStrictEqual(
          fake.requests.filter(({ about }) => about === operator).map(({ query }) => query.get("page")),
          ["1", "2"]
        )
        assert.strictEqual(answer._tag, "Found")
      })
    )
  )

  it.effect("returns a repeated package once, and leaves out a package with two prices", () =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        const operator = String(productIds.operator)
        const page = (...told: ReadonlyArray<FakeProduct>) => ({
          status: 200,
          body: told,
          headers: { "x-total-pages": "2" }
        })
        const dearer = {
          ...bundleOf(productIds.week),
          destination: { unit_type: "CURRENCY", unit: "DOP", amount: 160 }
        }
        fake.replyNext(operator, page(bundleOf(productIds.day), bundleOf(productIds.week)))
        fake.replyNext(operator, page(bundleOf(productIds.day), dearer))
        assert.deepStrictEqual(
          yield* provider.lookup(bundles),
          found(offer("dtone:producto:2001", "Día 1 GB", 5_000, "1 día", "1 GB"))
        )
      })
    )
  )

  it.effect("returns the unpaid bills of an account, but no paid, ambiguous or foreign-currency bill", () =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        fake.setBills(
          "550011",
          statement("Ene 2026", 250.75, "2026-02-15"),
          statement("Feb 2026", 300),
          statement("Dic 2025", 0),
          statement("Nov 2025", -12),
          statement("Oct 2025", 10, undefined, "USD"),
          statement("Sep 2025", 20),
          statement("Sep 2025", 30)
        )
        assert.deepStrictEqual(
          yield* provider.lookup(water),
          found(
            offer("dtone:factura:Ene 2026", "Factura Ene 2026", 25_075, "Vence el 2026-02-15", null),
            offer("dtone:factura:Feb 2026", "Factura Feb 2026", 30_000, null, null)
          )
        )
      })
    )
  )

  it.effect.each([
    ["an account without debt", water],
    ["a free amount to an existing number", of(service, String(productIds.topUp), "8095551234")],
    ["a free amount to an account", of({ ...service, type: "generic" }, null, "PRE-1")]
  ] as const)("returns no offers for %s", ([, query]) =>
    withDtOne(({ provider }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* provider.lookup(query), found())
      })
    )
  )

  it.effect.each([
    ["a number of another country", of(packageService, String(productIds.operator), "2125551234")],
    ["text that is not a number", of(packageService, String(productIds.operator), "809-555-1234")]
  ] as const)("reports an unknown identifier for %s", ([, query]) =>
    withDtOne(({ provider }) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* provider.lookup(query))._tag, "NoSuchIdentifier")
      })
    )
  )

  it.effect.each([
    [400, 1005003, "NoSuchIdentifier"],
    [400, 1006503, "NoSuchIdentifier"],
    [404, 1000404, "NoSuchIdentifier"],
    [400, 1000400, "NoAnswer"],
    [401, 1000401, "NoAnswer"],
    [404, 1003001, "NoAnswer"],
    [400, 1000404, "NoAnswer"],
    [429, 1000429, "NoAnswer"],
    [500, 1009001, "NoAnswer"],
    [503, 1009503, "NoAnswer"]
  ] as const)("with the response %d %d ends as %s", ([status, code, tag]) =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        fake.failNext("550011", status, code)
        assert.strictEqual((yield* provider.lookup(water))._tag, tag)
      })
    )
  )

  // Saldo sends the reference of a bill back to pay the bill, so no character can be removed from it.
  it.effect.each(["Ene\u0000 2026", "Ene\u200b 2026"])(
    "of bills has no result if DT One returns the unprintable name %j",
    (name) =>
      withDtOne(({ fake, provider }) =>
        Effect.gen(function* () {
          fake.setBills("550011", statement(name, 250.75))
          assert.strictEqual((yield* provider.lookup(water))._tag, "NoAnswer")
        })
      )
  )

  it.effect.each(["+18095551234", String(productIds.operator)])(
    "of packages has no result when the response about %s is malformed",
    (about) =>
      withDtOne(({ fake, provider }) =>
        Effect.gen(function* () {
          fake.misbehaviours.plan(about, "garbage")
          assert.strictEqual((yield* provider.lookup(bundles))._tag, "NoAnswer")
        })
      )
  )

  it.effect.each([
    ["packages", of(packageService, null, "8095551234")],
    ["bills", of(billService, "agua", "550011")]
  ] as const)("of %s raises an alert when the catalogue has no DT One product for the service", ([, query]) =>
    withDtOne(({ alerts, provider }) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* provider.lookup(query))._tag, "NoAnswer")
        assert.deepStrictEqual(alerts, ["the catalogue has no DT One product for a service"])
      })
    )
  )
})
