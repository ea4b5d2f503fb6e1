import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Metric, Redacted } from "effect"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import * as FloatsPostgres from "../../adapters/postgres/directory/FloatsPostgres.ts"
import { exampleLookup, simulatedProvider } from "../../adapters/provider/SimulatedProvider.ts"
import { ServiceUnavailable } from "../../core/domain/Errors.ts"
import { FloatAnswer } from "../../core/domain/Float.ts"
import { Providers } from "../../core/ports/Provider.ts"
import { makeFloatReading, showFloats } from "../../core/workflows/ReadFloat.ts"
import { commandLineOn } from "../support/CommandLine.ts"
import { freshDatabaseUrl } from "../support/Database.ts"
import { asLoginIn } from "../support/DatabaseLogins.ts"
import { gatewayAt, secret } from "./support/Gateways.ts"

const alert = { amount: 100, unit: "USD" }
const usd = (available: number) => FloatAnswer.Read({ balances: [{ unit: "USD", available, held: 2 }] })

/** The values of the metrics about the float, our balance with a provider, by metric and unit. */
const metricsOf = (provider: string) =>
  Effect.map(Metric.snapshot, (all) =>
    Object.fromEntries(
      all.flatMap(({ attributes, id, state }) =>
        id.startsWith("saldo_provider_float") && attributes?.["proveedor"] === provider && "value" in state
          ? [[`${id}${attributes["unidad"] ?? ""}`, Number(state.value)] as const]
          : []
      )
    )
  )

/** A server that reads the float of a scripted provider. If the scripted answer is null, the provider accepts no calls. */
const world = Effect.gen(function* () {
  const url = yield* freshDatabaseUrl
  const answers: Array<FloatAnswer | null> = []
  const service = { ...simulatedProvider, float: Effect.suspend(() => Effect.succeed(answers[0] as FloatAnswer)) }
  const providers = Layer.succeed(Providers, {
    serving: () => (answers[0] === null ? Effect.fail(new ServiceUnavailable()) : Effect.succeed(service)),
    simulator: simulatedProvider,
    exampleLookup
  })
  const login = asLoginIn("saldo_server", url)
  const ports = Layer.merge(
    providers,
    Layer.provide(FloatsPostgres.layer, Database.layer({ url: Redacted.make(login), connections_max: 1 }))
  )
  const context = yield* Layer.build(ports)
  const reading = makeFloatReading({ provider: "http", alert })
  const variables = { PROVIDER: "http", PROVIDER_URL: gatewayAt("http://127.0.0.1:1").baseUrl, PROVIDER_SECRET: secret }
  return {
    read: (answer: FloatAnswer | null) => {
      answers[0] = answer
      return Effect.provide(reading, context)
    },
    shown: Effect.map(Effect.provide(showFloats(Duration.minutes(5), alert), context), (all) =>
      all.map(({ balances, provider, state }) => ({ provider, state, balances }))
    ),
    doctor: (more: Readonly<Record<string, string>> = {}) =>
      Effect.map(
        commandLineOn(url, { ...variables, FLOAT_ALERT: "100 USD", ...more }).run("doctor"),
        ({ stdout }) => /^.* float .*$/m.exec(stdout)?.[0] ?? ""
      )
  }
})

describe("a reading of the float", () => {
  it.live(
    "sets the metrics and is stored for all processes, and the doctor warns if the float is below the alert",
    () =>
      Effect.gen(function* () {
        const { doctor, read, shown } = yield* world
        assert.match(yield* doctor(), /^ok .*no server has read the balance yet/)
        yield* read(usd(250.5))
        assert.deepStrictEqual(yield* shown, [
          { provider: "http", state: "actual", balances: [{ unit: "USD", available: 250.5, held: 2, low: false }] }
        ])
        const fine = yield* metricsOf("http")
        assert.deepStrictEqual([fine["saldo_provider_floatUSD"], fine["saldo_provider_float_low"]], [250.5, 0])
        assert.match(yield* doctor(), /^ok .*250\.5 USD left at http, read at /)
        yield* read(usd(99))
        const low = yield* metricsOf("http")
        assert.deepStrictEqual([low["saldo_provider_floatUSD"], low["saldo_provider_float_low"]], [99, 1])
        assert.match(yield* doctor(), /^warn .*99 USD left at http.*below FLOAT_ALERT/)
        assert.match(yield* doctor({ FLOAT_ALERT: "50" }), /^ok .*99 USD left/)
      }).pipe(Effect.scoped)
  )

  it.live("without an answer removes the value from the metrics, but keeps the last value in the database", () =>
    Effect.gen(function* () {
      const { doctor, read, shown } = yield* world
      yield* read(null)
      assert.deepStrictEqual(yield* shown, [{ provider: "http", state: "fallida", balances: [] }])
      assert.match(yield* doctor(), /^warn .*had no answer; last answer: never/)
      yield* read(usd(500))
      yield* Effect.sleep("2 millis")
      yield* read(FloatAnswer.NoAnswer())
      const metrics = yield* metricsOf("http")
      assert.deepStrictEqual(
        [metrics["saldo_provider_floatUSD"], metrics["saldo_provider_float_low"]],
        [Number.NaN, Number.NaN]
      )
      const [reading] = yield* shown
      assert.deepStrictEqual([reading?.state, reading?.balances[0]?.available], ["fallida", 500])
      assert.match(yield* doctor(), /^warn .*had no answer; last answer: \d{4}-/)
      yield* Effect.sleep("2 millis")
      yield* read(FloatAnswer.NotOffered())
      assert.deepStrictEqual(yield* shown, [{ provider: "http", state: "actual", balances: [] }])
      assert.match(yield* doctor(), /^ok .*http does not report its balance/)
      assert.match(yield* doctor({ FLOAT_EVERY: "off" }), /^warn .*FLOAT_EVERY is off/)
      assert.match(yield* doctor({ PROVIDER: "none" }), /^ok .*PROVIDER is not set/)
    }).pipe(Effect.scoped)
  )
})
