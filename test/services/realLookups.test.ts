import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { countCall, countOfDay } from "../../core/workflows/CountCalls.ts"
import { ManualClock } from "../support/InProcessService.ts"
import { customer } from "../support/service/CustomerCompany.ts"
import { consult } from "../support/service/HttpCalls.ts"
import { ExternalFakes, production } from "./support/Production.ts"

/** The limits of real lookups per token. Contract: 8. */
const perMinute = 30
const perDay = 2000

type Headers = Record<string, string>

const company = (realLookups = true, environment: "development" | "production" = "production") =>
  customer({ company: { environment }, token: { realLookups } })

const phone = "8495550044"
const contract = "CONTRATO-77"

/** The origin of a lookup's data, and whether the provider received a request. */
const origin = Effect.fnUntraced(function* (auth: Headers, service_id = 3, identifier = phone) {
  const { provider } = yield* ExternalFakes
  const before = provider.requests.length
  const { body, status, text } = yield* consult(service_id, identifier, auth)
  assert.strictEqual(status, 200, text)
  return [body.data.origen_datos as string, provider.requests.length > before] as const
})

const real = ["proveedor_real", true] as const
const simulated = ["simulado", false] as const

describe.each(["http", "dtone"] as const)("with PROVIDER=%s", (name) => {
  layer(production(name), { excludeTestServices: true })("a lookup", (it) => {
    it.effect.each([
      ["of a token with consultas_reales in production calls the provider", true, "production", real],
      ["of a token without consultas_reales does not call the provider", false, "production", simulated],
      ["in development does not call the provider", true, "development", simulated],
      ["in development without consultas_reales does not call the provider", false, "development", simulated]
    ] as const)("%s", ([, realLookups, environment, expected]) =>
      Effect.gen(function* () {
        const { provider } = yield* ExternalFakes
        for (const identifier of [phone, contract]) provider.offer(identifier)
        const { auth } = yield* company(realLookups, environment)
        assert.deepStrictEqual(yield* origin(auth), expected)
        assert.deepStrictEqual(yield* origin(auth, 5, contract), expected)
      })
    )

    it.effect("returns the provider's offers", () =>
      Effect.gen(function* () {
        const { provider } = yield* ExternalFakes
        provider.offer(contract)
        const { auth } = yield* company()
        const { opciones, requiere_seleccion } = (yield* consult(5, contract, auth)).body.data
        assert.deepStrictEqual([requiere_seleccion, opciones.length, opciones[0].precio], [true, 1, 150.5])
      })
    )

    it.effect("returns simulated data beyond the token's limit per minute", () =>
      Effect.gen(function* () {
        const { provider } = yield* ExternalFakes
        const { pass } = yield* ManualClock
        provider.offer(phone)
        const { auth } = yield* company()
        const another = yield* company()
        yield* pass("1 minute")
        for (let call = 0; call < perMinute; call++) assert.deepStrictEqual(yield* origin(auth), real)
        assert.deepStrictEqual(yield* origin(auth), simulated)
        assert.deepStrictEqual(yield* origin(another.auth), real)
        yield* pass("1 minute")
        assert.deepStrictEqual(yield* origin(auth), real)
      })
    )

    it.effect.each(["0", "1", "2"])("beyond the limit finds offers even for an identifier that ends in %s", (ending) =>
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const { auth, tokenId } = yield* company()
        yield* pass("1 minute")
        const one = countCall({ key: `lookups:minute:${tokenId}`, limit: perMinute })
        yield* Effect.replicateEffect(one, perMinute, { discard: true })
        for (const [service_id, identifier] of [
          [3, `849555004${ending}`],
          [5, `CONTRATO-7${ending}`]
        ] as const) {
          assert.deepStrictEqual(yield* origin(auth, service_id, identifier), simulated)
          const { opciones, sin_deuda } = (yield* consult(service_id, identifier, auth)).body.data
          assert.isNotEmpty(opciones)
          assert.isFalse(sin_deuda)
        }
      })
    )

    it.effect("returns simulated data beyond the token's limit per local day", () =>
      Effect.gen(function* () {
        const { provider } = yield* ExternalFakes
        const { pass } = yield* ManualClock
        provider.offer(phone)
        const { auth, tokenId } = yield* company()
        const one = countOfDay({ key: `lookups:day:${tokenId}`, limit: perDay })
        yield* Effect.replicateEffect(one, perDay - 1, { discard: true })
        assert.deepStrictEqual(yield* origin(auth), real)
        assert.deepStrictEqual(yield* origin(auth), simulated)
        // The test starts at 10:00. 13 hours lead to 23:00, one more hour to the next day.
        yield* pass("13 hours")
        assert.deepStrictEqual(yield* origin(auth), simulated)
        yield* pass("1 hour")
        assert.deepStrictEqual(yield* origin(auth), real)
      })
    )
  })
})
