import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as DigestNode from "../../adapters/node/DigestNode.ts"
import { ServiceUnavailable } from "../../core/domain/Errors.ts"
import { IdempotencyKey, Identifier, ServiceId } from "../../core/domain/Ids.ts"
import { Amount } from "../../core/domain/Money.ts"
import type { Service } from "../../core/domain/Service.ts"
import { xidOf } from "../../core/domain/Xid.ts"
import { Catalogue } from "../../core/ports/Catalogue.ts"
import { Providers } from "../../core/ports/Provider.ts"
import { type Purchase, purchase } from "../../core/workflows/Purchase.ts"
import { company, service, session } from "./support/Examples.ts"
import { fund, money, sales, world } from "./support/World.ts"

const wanted: Purchase = {
  key: IdempotencyKey.make("k1"),
  serviceId: service.id,
  identifier: Identifier.make("8095551234"),
  amount: Amount.make(10_000),
  optionId: null,
  terminalId: null
}

/** A shop whose shelf can be changed while it is open. */
const shop = () => {
  const shelf: Array<Service> = [service]
  const { dispatched, layer } = world()
  const catalogue = Layer.succeed(Catalogue, { services: () => Effect.sync(() => [...shelf]) })
  return { dispatched, layer: Layer.mergeAll(layer, catalogue, DigestNode.layer), shelf }
}

const buy = (changes: Partial<Purchase> = {}) => purchase(session, { ...wanted, ...changes })

const refusal = (changes: Partial<Purchase>) =>
  Effect.map(Effect.flip(buy(changes)), (error) => (error._tag === "Invalid" ? error.details : error._tag))

describe("a purchase", () => {
  it.effect("is sold under the xid of its company and key", () => {
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

  // what is wrong -> what its caller hears
  it.effect.each([
    [{ serviceId: ServiceId.make(99) }, "InvalidProduct"],
    [{ amount: null }, { amount: "requerido" }],
    [{ amount: Amount.make(1_999) }, { amount: "fuera_de_rango", monto_minimo: 20, monto_maximo: 5_000 }]
  ] as const)("that asks for %j is refused, and holds nothing", ([changes, expected]) => {
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

  it.effect("is refused while no provider serves the company, and leaves its key free", () => {
    const { layer } = shop()
    const nobody = Layer.succeed(Providers, { serving: () => Effect.fail(new ServiceUnavailable()) })
    return Effect.gen(function* () {
      yield* fund()
      assert.strictEqual(yield* Effect.provide(refusal({}), nobody), "ServiceUnavailable")
      assert.deepStrictEqual(yield* money, { available: 100_000, held: 0, consumed: 0 })
      assert.isFalse((yield* buy()).replayed)
    }).pipe(Effect.provide(layer))
  })
})

describe("a purchase with a key that is known", () => {
  it.effect("replays though the service has left the catalogue", () => {
    const { dispatched, layer, shelf } = shop()
    return Effect.gen(function* () {
      yield* fund()
      const first = yield* buy()
      shelf.pop()
      assert.deepStrictEqual(yield* buy(), { outcome: first.outcome, replayed: true })
      assert.strictEqual(yield* refusal({ key: IdempotencyKey.make("k2") }), "InvalidProduct")
      assert.strictEqual(dispatched.length, 1)
    }).pipe(Effect.provide(layer))
  })

  // Whatever differs, the key was first; it speaks before the service and the amount do.
  it.effect.each([
    { amount: Amount.make(10_001) },
    { amount: Amount.make(1) },
    { amount: null },
    { serviceId: ServiceId.make(99) },
    { identifier: Identifier.make("8095551235") },
    { optionId: "o1" }
  ])("but with %j in its body is a reused one", (changes) => {
    const { dispatched, layer } = shop()
    return Effect.gen(function* () {
      yield* fund()
      yield* buy()
      assert.strictEqual(yield* refusal(changes), "KeyReused")
      assert.strictEqual(dispatched.length, 1)
    }).pipe(Effect.provide(layer))
  })
})
