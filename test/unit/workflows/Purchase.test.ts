import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import * as CallCounterMemory from "../../../adapters/CallCounterMemory.ts"
import * as Sha256Node from "../../../adapters/crypto/Sha256Node.ts"
import { exampleLookup, simulatedProvider } from "../../../adapters/provider/SimulatedProvider.ts"
import { ServiceUnavailable } from "../../../core/domain/Errors.ts"
import { xidOf } from "../../../core/domain/Idempotency.ts"
import { CompanyId, IdempotencyKey, Identifier, ServiceId } from "../../../core/domain/Ids.ts"
import { Amount } from "../../../core/domain/Money.ts"
import type { Service } from "../../../core/domain/Service.ts"
import { QuoteChanged } from "../../../core/ports/Ledger.ts"
import { type Provider, Providers } from "../../../core/ports/Provider.ts"
import { lookUp } from "../../../core/workflows/LookUp.ts"
import { type Purchase, purchase } from "../../../core/workflows/Purchase.ts"
import { billService, company, factsOf, packageService, service, session } from "../../support/Examples.ts"
import { catalogueOf, fund, money, sales, world } from "../../support/InMemoryWorld.ts"
import { insuring } from "../support/InsuranceWorld.ts"

/** A request for a top-up of 100 pesos. */
const wanted: Purchase = {
  key: IdempotencyKey.make("k1"),
  serviceId: service.id,
  identifier: Identifier.make("8095551234"),
  amount: Amount.make(10_000),
  optionId: null,
  terminalId: null
}

/** Services in memory whose catalogue a test can change. */
const shop = (behaviour: Partial<Provider> = {}) => {
  const shelf: Array<Service> = [service, packageService, billService]
  const { dispatched, layer } = world(behaviour)
  const counter = Layer.fresh(CallCounterMemory.layer)
  return { dispatched, layer: Layer.mergeAll(layer, catalogueOf(shelf), counter, Sha256Node.layer), shelf }
}

const buy = (changes: Partial<Purchase> = {}) => purchase(session, { ...wanted, ...changes })

const refusal = (changes: Partial<Purchase>) => Effect.map(Effect.flip(buy(changes)), factsOf)

/** A refusal without details. */
const named = (_tag: string) => ({ _tag })
const invalid = named("InvalidOption")

describe("a purchase", () => {
  it.effect("is sold under the xid that its company and key determine", () => {
    const { dispatched, layer } = shop()
    return Effect.gen(function* () {
      yield* fund()
      const { outcome } = yield* buy()
      const xid = yield* xidOf(company.id, wanted.key)
      assert.strictEqual(outcome._tag, "Delivered")
      assert.deepStrictEqual(dispatched, [xid])
      assert.deepStrictEqual(yield* sales, [[xid, "SUCCESS"]])
    }).pipe(Effect.provide(layer))
  })

  // the invalid part of the request -> the error
  it.effect.each([
    [{ serviceId: ServiceId.make(99) }, named("InvalidProduct")],
    [{ amount: null }, named("AmountRequired")],
    [{ amount: Amount.make(1_999) }, { _tag: "AmountOutOfRange", minimum: 2_000, maximum: 500_000 }]
  ] as const)("is refused for %j and holds no money", ([changes, expected]) => {
    const { dispatched, layer } = shop()
    return Effect.gen(function* () {
      yield* fund()
      assert.deepStrictEqual(yield* refusal(changes), expected)
      assert.deepStrictEqual(dispatched, [])
      assert.deepStrictEqual(yield* sales, [])
      assert.deepStrictEqual(yield* money, { available: 100_000, held: 0, consumed: 0 })
      assert.isFalse((yield* buy()).replayed)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is refused when there is no provider, and leaves its key free", () => {
    const { layer } = shop()
    const noProvider = Layer.succeed(Providers, {
      serving: () => Effect.fail(new ServiceUnavailable()),
      simulator: simulatedProvider,
      exampleLookup
    })
    return Effect.gen(function* () {
      yield* fund()
      assert.deepStrictEqual(yield* Effect.provide(refusal({}), noProvider), named("ServiceUnavailable"))
      assert.deepStrictEqual(yield* money, { available: 100_000, held: 0, consumed: 0 })
      assert.isFalse((yield* buy()).replayed)
    }).pipe(Effect.provide(layer))
  })
})

describe("a purchase with a known key", () => {
  it.effect("is replayed after the service has left the catalogue", () => {
    const { dispatched, layer, shelf } = shop()
    return Effect.gen(function* () {
      yield* fund()
      const first = yield* buy()
      shelf.length = 0
      assert.deepStrictEqual(yield* buy(), { outcome: first.outcome, replayed: true })
      assert.deepStrictEqual(yield* refusal({ key: IdempotencyKey.make("k2") }), named("InvalidProduct"))
      assert.strictEqual(dispatched.length, 1)
    }).pipe(Effect.provide(layer))
  })

  // The key is checked before the service and the amount. So the refusal is the same for every field that differs.
  it.effect.each([
    { amount: Amount.make(10_001) },
    { amount: Amount.make(1) },
    { amount: null },
    { serviceId: ServiceId.make(99) },
    { identifier: Identifier.make("8095551235") },
    { optionId: "o1" }
  ])("is refused as a reused key when its body has %j", (changes) => {
    const { dispatched, layer } = shop()
    return Effect.gen(function* () {
      yield* fund()
      yield* buy()
      assert.deepStrictEqual(yield* refusal(changes), named("KeyReused"))
      assert.strictEqual(dispatched.length, 1)
    }).pipe(Effect.provide(layer))
  })
})

/** A request for the first option of a lookup. */
const offerOf = (of: Service, identifier = wanted.identifier) =>
  Effect.map(lookUp(session, { serviceId: of.id, identifier }), ({ options: [option] }) => {
    if (option === undefined) return assert.fail("nothing was offered")
    const asked: Purchase = { ...wanted, serviceId: of.id, identifier, amount: null, optionId: option.id }
    return { asked, price: option.price }
  })

let keys = 0
const key = () => IdempotencyKey.make(`option-${++keys}`)

describe("a purchase of an option", () => {
  it.effect.each([
    ["a package", packageService],
    ["a bill", billService]
  ] as const)("costs the offered price of %s", ([, of]) => {
    const { layer } = shop()
    return Effect.gen(function* () {
      yield* fund(1_000_000)
      const { asked, price } = yield* offerOf(of)
      assert.strictEqual((yield* buy({ ...asked, key: key() })).outcome._tag, "Delivered")
      assert.deepStrictEqual(yield* money, { available: 1_000_000 - price, held: 0, consumed: price })
    }).pipe(Effect.provide(layer))
  })

  it.effect("is possible for 30 minutes after the lookup, and for 30 more minutes after another lookup", () => {
    const { layer } = shop()
    return Effect.gen(function* () {
      yield* fund(1_000_000)
      const { asked } = yield* offerOf(packageService)
      yield* TestClock.adjust("1799999 millis")
      assert.strictEqual((yield* buy({ ...asked, key: key() })).outcome._tag, "Delivered")
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* refusal({ ...asked, key: key() }), named("OptionExpired"))
      assert.deepStrictEqual((yield* offerOf(packageService)).asked, asked)
      assert.strictEqual((yield* buy({ ...asked, key: key() })).outcome._tag, "Delivered")
    }).pipe(Effect.provide(layer))
  })

  it.effect("is replayed after the option has expired", () => {
    const { dispatched, layer } = shop()
    return Effect.gen(function* () {
      yield* fund(1_000_000)
      const { asked } = yield* offerOf(packageService)
      const first = yield* buy(asked)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* buy(asked), { outcome: first.outcome, replayed: true })
      assert.strictEqual(dispatched.length, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is refused if the option was offered for another company, identifier, service or price", () => {
    const { dispatched, layer } = shop()
    return Effect.gen(function* () {
      yield* fund(1_000_000)
      const { asked, price } = yield* offerOf(packageService)
      const other = (yield* offerOf(packageService, Identifier.make("8095551235"))).asked.optionId
      const bill = (yield* offerOf(billService)).asked.optionId
      assert.deepStrictEqual(yield* refusal({ ...asked, optionId: other }), invalid)
      assert.deepStrictEqual(yield* refusal({ ...asked, optionId: bill }), invalid)
      assert.deepStrictEqual(yield* refusal({ ...asked, amount: Amount.make(price + 1) }), {
        _tag: "PriceMismatch",
        price
      })
      const neighbour = { ...session, company: { ...company, id: CompanyId.make(8) } }
      const foreign = yield* Effect.flip(purchase(neighbour, asked))
      assert.deepStrictEqual(factsOf(foreign), invalid)
      assert.deepStrictEqual([dispatched, yield* sales], [[], []])
      assert.deepStrictEqual(yield* money, { available: 1_000_000, held: 0, consumed: 0 })
    }).pipe(Effect.provide(layer))
  })

  it.effect("is refused before any money is held if the configured provider does not know the option", () => {
    let known = false
    const { dispatched, layer } = shop({ knows: (reference) => known && reference === "P1" })
    return Effect.gen(function* () {
      yield* fund(1_000_000)
      const { asked } = yield* offerOf(packageService)
      assert.deepStrictEqual(yield* refusal(asked), invalid)
      assert.deepStrictEqual([dispatched, yield* sales], [[], []])
      assert.deepStrictEqual(yield* money, { available: 1_000_000, held: 0, consumed: 0 })
      known = true
      assert.strictEqual((yield* buy(asked)).outcome._tag, "Delivered")
      known = false
      assert.isTrue((yield* buy(asked)).replayed)
    }).pipe(Effect.provide(layer))
  })

  it.effect("buys two packages when it is made twice, but never pays a bill twice", () => {
    const { dispatched, layer } = shop()
    return Effect.gen(function* () {
      yield* fund(1_000_000)
      const twice = Effect.fnUntraced(function* (of: Service) {
        const { asked } = yield* offerOf(of)
        yield* buy({ ...asked, key: key() })
        return yield* Effect.result(buy({ ...asked, key: key() }))
      })
      assert.isTrue(Result.isSuccess(yield* twice(packageService)))
      const second = yield* twice(billService)
      assert.strictEqual(Result.isFailure(second) && second.failure._tag, "DuplicateTransaction")
      // A second lookup returns the same bill.
      const { asked } = yield* offerOf(billService)
      assert.deepInclude(yield* refusal({ ...asked, key: key() }), named("DuplicateTransaction"))
      assert.strictEqual(dispatched.length, 3)
    }).pipe(Effect.provide(layer))
  })
})

describe("a purchase whose quote changes at every read", () => {
  it.effect("fails and reserves no money", () => {
    let readings = 0
    const { dispatched, layer } = insuring({
      ledger: (ledger) => ({
        ...ledger,
        reserve: () =>
          Effect.suspend(() => {
            readings++
            return Effect.fail(new QuoteChanged())
          })
      })
    })
    return Effect.gen(function* () {
      yield* fund()
      const exit = yield* Effect.exit(purchase(session, wanted))
      assert.isTrue(Exit.hasDies(exit))
      assert.strictEqual(readings, 10)
      assert.deepStrictEqual(dispatched, [])
      assert.deepStrictEqual(yield* money, { available: 100_000, held: 0, consumed: 0 })
    }).pipe(Effect.provide(layer))
  })
})
