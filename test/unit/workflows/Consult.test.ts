import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as CallCounterMemory from "../../../adapters/CallCounterMemory.ts"
import * as Sha256Node from "../../../adapters/crypto/Sha256Node.ts"
import { exampleLookup, simulatedProvider } from "../../../adapters/provider/SimulatedProvider.ts"
import { ServiceUnavailable } from "../../../core/domain/Errors.ts"
import { CompanyId, Identifier, ServiceId, TokenId } from "../../../core/domain/Ids.ts"
import { isDebtFree, LookupAnswer } from "../../../core/domain/Lookup.ts"
import { Amount } from "../../../core/domain/Money.ts"
import type { Session } from "../../../core/domain/Session.ts"
import { Options } from "../../../core/ports/Options.ts"
import { type Provider, Providers } from "../../../core/ports/Provider.ts"
import { type LookupRequest, lookUp } from "../../../core/workflows/LookUp.ts"
import { billService, insuranceService, packageService, service, session } from "../../support/Examples.ts"
import { catalogueOf, world } from "../../support/InMemoryWorld.ts"

const wanted: LookupRequest = { serviceId: packageService.id, identifier: Identifier.make("8095551234") }

const real: Session = { ...session, token: { ...session.token, realLookups: true } }
const inProduction = (caller: Session): Session => ({
  ...caller,
  company: { ...caller.company, environment: "production" }
})

const offer = { reference: "r1", name: "Del proveedor", price: Amount.make(12_345), validity: null, data: "1 GB" }

/** Services in memory whose provider offers one option by default. */
const shop = (lookup: Provider["lookup"] = () => Effect.succeed(foundOne)) => {
  const { layer } = world({ lookup })
  const catalogue = catalogueOf([service, packageService, billService, insuranceService])
  return Layer.mergeAll(layer, catalogue, Sha256Node.layer, Layer.fresh(CallCounterMemory.layer))
}

const foundOne = LookupAnswer.Found({ found: { holder: "Titular", offers: [offer] } })

const origin = (caller: Session = real) =>
  Effect.map(lookUp(caller, wanted), ({ simulated }) => (simulated ? "simulado" : "proveedor_real"))

const known = (id: string, companyId = session.company.id) => Options.use((options) => options.find(companyId, id))

describe("a lookup", () => {
  it.effect("stores its options and their prices for 30 minutes", () =>
    Effect.gen(function* () {
      const { flow, options } = yield* lookUp(session, wanted)
      assert.strictEqual(flow, "paquetes")
      assert.deepStrictEqual(
        options.map(({ name, price }) => [name, price as number]),
        [
          ["Paquete 1", 15_000],
          ["Paquete 2", 29_550]
        ]
      )
      for (const option of options) {
        assert.match(option.id, /^paq-[\da-f]{24}$/)
        const stored = yield* known(option.id)
        assert.deepStrictEqual(stored._tag === "Some" && stored.value, option)
        assert.strictEqual((yield* known(option.id, CompanyId.make(8)))._tag, "None")
      }
    }).pipe(Effect.provide(shop()))
  )

  it.effect("returns the same options when it is repeated, and returns other options to other companies", () =>
    Effect.gen(function* () {
      const idsOf = (caller: Session, changes: Partial<LookupRequest> = {}) =>
        Effect.map(lookUp(caller, { ...wanted, ...changes }), ({ options }) => options.map(({ id }) => id))
      const first = yield* idsOf(session)
      yield* TestClock.adjust("1 day")
      assert.deepStrictEqual(yield* idsOf(session), first)
      const neighbour = { ...session, company: { ...session.company, id: CompanyId.make(8) } }
      const others = [
        ...(yield* idsOf(neighbour)),
        ...(yield* idsOf(session, { identifier: Identifier.make("8095551235") })),
        ...(yield* idsOf(session, { serviceId: billService.id }))
      ]
      assert.strictEqual(new Set([...first, ...others]).size, first.length + others.length)
    }).pipe(Effect.provide(shop()))
  )

  it.effect("reports that nothing is owed for bills only", () =>
    Effect.gen(function* () {
      const debtFree = (serviceId: ServiceId, identifier: string) =>
        Effect.map(lookUp(session, { serviceId, identifier: Identifier.make(identifier) }), isDebtFree)
      assert.isTrue(yield* debtFree(billService.id, "NIC-1"))
      assert.isFalse(yield* debtFree(billService.id, "NIC-3"))
      assert.isFalse(yield* debtFree(packageService.id, "8095551231"))
      assert.isFalse(yield* debtFree(service.id, "8095551231"))
    }).pipe(Effect.provide(shop()))
  )

  it.effect("returns only the holder when the caller chooses the amount, even if the provider has offers", () =>
    Effect.gen(function* () {
      const { holder, options } = yield* lookUp(inProduction(real), { ...wanted, serviceId: service.id })
      assert.deepStrictEqual([holder, options], ["Titular", []])
    }).pipe(Effect.provide(shop()))
  )

  it.effect.each([
    [{ serviceId: ServiceId.make(99) }, "InvalidProduct"],
    [{ serviceId: insuranceService.id }, "NotImplemented"],
    [{ identifier: Identifier.make("8095551230") }, "NotFound"],
    [{ identifier: Identifier.make("8095551232") }, "ServiceTimedOut"]
  ] as const)("is refused for %j with %s", ([changes, tag]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(lookUp(session, { ...wanted, ...changes })))._tag, tag)
    }).pipe(Effect.provide(shop()))
  )
})

describe("a lookup at the provider", () => {
  it.effect.each([
    ["a token without realLookups", session, "simulado"],
    ["a production token without realLookups", inProduction(session), "simulado"],
    ["a token with realLookups", real, "proveedor_real"],
    ["a production token with realLookups", inProduction(real), "proveedor_real"]
  ] as const)("has the origin that its token permits: %s", ([, caller, expected]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* origin(caller), expected)
    }).pipe(Effect.provide(shop()))
  )

  it.effect.each([
    ["there is no provider", Effect.fail(new ServiceUnavailable())],
    ["the provider is the simulator", Effect.succeed(simulatedProvider)]
  ] as const)("returns examples when %s", ([, serving]) =>
    origin().pipe(
      Effect.map((said) => assert.strictEqual(said, "simulado")),
      Effect.provideService(Providers, { serving: () => serving, simulator: simulatedProvider, exampleLookup }),
      Effect.provide(shop())
    )
  )

  it.effect.each([
    ["to a token that may not use the provider", inProduction(session), "NotFound"],
    ["in the sandbox", real, "NotFound"],
    ["when there is no provider", inProduction(real), "found"]
  ] as const)("returns examples %s, and the result for a number ending in 0 is %s", ([, caller, expected]) =>
    lookUp(caller, { ...wanted, identifier: Identifier.make("8095551230") }).pipe(
      Effect.match({ onFailure: ({ _tag }) => _tag as string, onSuccess: () => "found" }),
      Effect.map((said) => assert.strictEqual(said, expected)),
      Effect.provideService(Providers, {
        serving: (environment) =>
          environment === "development" ? Effect.succeed(simulatedProvider) : Effect.fail(new ServiceUnavailable()),
        simulator: simulatedProvider,
        exampleLookup
      }),
      Effect.provide(shop())
    )
  )

  it.effect("reaches the provider 30 times a minute; further lookups return examples that are marked as examples", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Effect.replicateEffect(origin(), 30), Array(30).fill("proveedor_real"))
      assert.strictEqual(yield* origin(), "simulado")
      const other = { ...real, token: { ...real.token, id: TokenId.make(71) } }
      assert.strictEqual(yield* origin(other), "proveedor_real")
      yield* TestClock.adjust("59999 millis")
      assert.strictEqual(yield* origin(), "simulado")
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* origin(), "proveedor_real")
    }).pipe(Effect.provide(shop()))
  )

  it.effect("reaches the provider 2000 times in a local day", () =>
    Effect.gen(function* () {
      const morning_ms = Date.UTC(2026, 2, 2, 4)
      yield* TestClock.setTime(morning_ms)
      let asked = 0
      for (let minute = 0; minute < 67; minute++) {
        const origins = yield* Effect.replicateEffect(origin(), 30)
        asked += origins.filter((each) => each === "proveedor_real").length
        yield* TestClock.adjust("1 minute")
      }
      assert.strictEqual(asked, 2_000)
      // Local midnight is 04:00 UTC.
      yield* TestClock.setTime(morning_ms + 24 * 3_600_000 - 1)
      assert.strictEqual(yield* origin(), "simulado")
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* origin(), "proveedor_real")
    }).pipe(Effect.provide(shop()))
  )

  it.effect("times out when the provider does not answer for 30 seconds", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const silent = shop(() => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never))
      yield* Effect.gen(function* () {
        const lookup = yield* Effect.forkChild(Effect.flip(lookUp(real, wanted)))
        yield* Deferred.await(asked)
        yield* TestClock.adjust("29999 millis")
        assert.strictEqual(lookup.pollUnsafe(), undefined)
        yield* TestClock.adjust("1 millis")
        assert.strictEqual((yield* Fiber.join(lookup))._tag, "ServiceTimedOut")
      }).pipe(Effect.provide(silent))
    })
  )

  it.effect("treats a failing adapter as a provider that does not answer", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(lookUp(real, wanted)))._tag, "ServiceTimedOut")
    }).pipe(Effect.provide(shop(() => Effect.die(new Error("no es JSON")))))
  )
})

describe("an offer in production and in the sandbox", () => {
  it.effect.each([
    ["cannot be bought if it is an example of a bill in production", inProduction(session), billService.id, "None"],
    ["can be bought if it is a bill in the sandbox", session, billService.id, "Some"],
    ["can be bought if it is a bill of the provider", inProduction(real), billService.id, "Some"],
    ["can be bought if it is a package of the catalogue", inProduction(session), packageService.id, "Some"]
  ] as const)("%s", ([, caller, serviceId, expected]) =>
    Effect.gen(function* () {
      const { options } = yield* lookUp(caller, { ...wanted, serviceId })
      assert.isNotEmpty(options)
      for (const { id } of options) assert.strictEqual((yield* known(id))._tag, expected)
    }).pipe(Effect.provide(shop()))
  )
})
