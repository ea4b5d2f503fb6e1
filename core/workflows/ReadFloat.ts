import { Clock, DateTime, Duration, Effect, Metric, Random } from "effect"
import { type FloatAlert, FloatAnswer, type FloatBalance, floatState, isFloatLow, sumByUnit } from "../domain/Float.ts"
import type { ProviderName } from "../domain/ProviderStatement.ts"
import { Floats } from "../ports/Floats.ts"
import { Providers } from "../ports/Provider.ts"
import { seriesOf } from "../telemetry/Metrics.ts"

const available = seriesOf(["proveedor", "unidad"], (attributes) =>
  Metric.gauge("saldo_provider_float", {
    description: "Remaining balance with the provider, in its unit; NaN while the provider does not answer",
    attributes
  })
)

const low = seriesOf(["proveedor"], (attributes) =>
  Metric.gauge("saldo_provider_float_low", {
    description: "Whether a balance with the provider is below FLOAT_ALERT: 1 or 0; NaN while it is unknown",
    attributes
  })
)

const answeredAt = seriesOf(["proveedor"], (attributes) =>
  Metric.gauge("saldo_provider_float_last_timestamp_seconds", {
    description:
      "Unix time of the provider's last answer about the balance; before the first answer, the time at which the process started",
    attributes
  })
)

const answered = (provider: ProviderName) =>
  Effect.flatMap(Clock.currentTimeMillis, (now_ms) => Metric.update(answeredAt({ proveedor: provider }), now_ms / 1000))

/** The options of a server's float readings. `provider`: the configured provider or, without one, the simulator. */
export interface FloatOptions {
  readonly provider: ProviderName
  readonly every: Duration.Duration
  readonly alert: FloatAlert | null
}

const askFloat = (provider: ProviderName) =>
  Providers.use(({ serving, simulator }) =>
    (provider === "simulador"
      ? simulator.float
      : Effect.flatMap(
          Effect.orElseSucceed(serving("production"), () => null),
          (service) => service?.float ?? Effect.succeed(FloatAnswer.NoAnswer())
        )
    ).pipe(Effect.timeoutOrElse({ duration: "30 seconds", orElse: () => Effect.succeed(FloatAnswer.NoAnswer()) }))
  )

/** Makes the reading of a provider's float: asks, sets the metrics and stores the answer. */
export const makeFloatReading = ({ alert, provider }: Pick<FloatOptions, "alert" | "provider">) => {
  let units: ReadonlyArray<string> = []

  const setMetrics = Effect.fnUntraced(function* (balances: ReadonlyArray<FloatBalance> | null) {
    const now = new Map(balances?.map((balance) => [balance.unit, balance.available]))
    // A unit that is missing in the answer is set to NaN, because its last value would look current.
    units = [...new Set([...units, ...now.keys()])]
    for (const unidad of units) {
      yield* Metric.update(available({ proveedor: provider, unidad }), now.get(unidad) ?? Number.NaN)
    }
    const lows = balances?.filter((balance) => isFloatLow(balance, alert)) ?? []
    yield* Metric.update(low({ proveedor: provider }), balances === null ? Number.NaN : Math.min(1, lows.length))
    if (lows.length > 0) yield* Effect.logWarning("the balance with the provider is low", { provider, balances: lows })
  })

  return Effect.gen(function* () {
    const floats = yield* Floats
    const answer = yield* askFloat(provider)
    const at = yield* DateTime.now
    if (answer._tag === "NoAnswer") {
      yield* setMetrics(null)
      yield* Effect.logWarning("the provider did not state its balance", { provider })
      return yield* floats.fail(provider, at)
    }
    const balances = answer._tag === "Read" ? sumByUnit(answer.balances) : []
    yield* setMetrics(balances)
    yield* answered(provider)
    yield* floats.store(provider, balances, at)
  })
}

/**
 * Reads the float at intervals for the life of the process. A failed reading is only logged. Intervals vary by a tenth,
 * so that processes started together do not ask together.
 */
export const keepReadingFloat = Effect.fnUntraced(function* ({ every, ...options }: FloatOptions) {
  yield* Metric.update(low({ proveedor: options.provider }), Number.NaN)
  yield* answered(options.provider)
  return yield* makeFloatReading(options).pipe(
    Effect.catchCause((cause) => Effect.logWarning("a reading of the balance with the provider failed", cause)),
    Effect.andThen(Random.next),
    Effect.flatMap((share) => Effect.sleep(Duration.times(every, 0.9 + share / 5))),
    Effect.forever
  )
})

/** After this many intervals without an answer, a reading is old. */
const intervals_max = 3

/** The last readings of all providers, with their state and whether they are low. */
export const showFloats = Effect.fn("ReadFloat.showFloats")(function* (
  every: Duration.Duration,
  alert: FloatAlert | null
) {
  const floats = yield* Floats
  const now = yield* DateTime.now
  return (yield* floats.list).map((reading) => ({
    ...reading,
    state: floatState(reading, now, Duration.times(every, intervals_max)),
    balances: reading.balances.map((balance) => ({ ...balance, low: isFloatLow(balance, alert) }))
  }))
})
