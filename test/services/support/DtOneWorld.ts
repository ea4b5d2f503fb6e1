import { Clock, DateTime, Duration, Effect, Layer, Logger, Redacted, type Scope } from "effect"
import type { HttpClient } from "effect/http"
import { dtone } from "../../../adapters/provider/dtone/DtOne.ts"
import { Identifier, TransactionId } from "../../../core/domain/Ids.ts"
import { Amount } from "../../../core/domain/Money.ts"
import type { Order } from "../../../core/domain/Sale.ts"
import type { ServiceType } from "../../../core/domain/Service.ts"
import type { Provider } from "../../../core/ports/Provider.ts"
import { credentials, FakeDtOne } from "../../fakes/DtOne.ts"
import { productIds } from "../../fakes/DtOneData.ts"
import { company, service } from "../../support/Examples.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { Client } from "./Gateways.ts"

/** A DT One provider, the fake that it calls, and the alerts that it logs. */
export interface DtOneWorld {
  readonly fake: FakeDtOne
  readonly provider: Provider
  /** The messages logged as errors. */
  readonly alerts: ReadonlyArray<string>
  readonly pass: (duration: Duration.Input) => Effect.Effect<void>
}

/** The fields of an order that differ from a top-up of 100 pesos. */
export interface Sold {
  readonly identifier?: string
  readonly centavos?: number
  readonly type?: ServiceType
  readonly product?: string | null
  readonly reference?: string | null
}

export const xid = "RD-5f2b8c0d9e4a7163b8f0a1c2"

/** An order created now. */
export const ordered = Effect.fnUntraced(function* (sold: Sold = {}) {
  const { centavos = 10_000, identifier = "8095551234", product = String(productIds.topUp), reference = null } = sold
  return {
    companyId: company.id,
    transactionId: TransactionId.make(1),
    environment: "production",
    xid,
    service: { id: service.id, name: service.name, type: sold.type ?? "mobile_recharge" },
    identifier: Identifier.make(identifier),
    amount: Amount.make(centavos),
    product,
    reference,
    createdAt: yield* DateTime.now
  } satisfies Order
})

/** Longest sleep that the clock skips. Timeouts are longer, and end only when a test moves the clock. */
const nap_max = Duration.seconds(5)

/** A clock that skips the provider's pauses between status queries. */
export const withShortPausesSkipped = (clock: Clock.Clock, pass: DtOneWorld["pass"]): Clock.Clock => ({
  ...clock,
  sleep: (duration) =>
    Duration.isLessThanOrEqualTo(duration, nap_max)
      ? Effect.andThen(pass(duration), Effect.yieldNow)
      : clock.sleep(duration)
})

const errorsInto = (alerts: Array<string>) =>
  Logger.layer([
    Logger.make(({ logLevel, message }) => {
      if (logLevel === "Error") alerts.push(String(Array.isArray(message) ? message[0] : message))
    })
  ])

/**
 * Runs a test with a fake DT One.
 *
 * @param settings settings that replace the fake's URL and secret.
 */
export const withDtOne = <A, E>(
  test: (world: DtOneWorld) => Effect.Effect<A, E, Scope.Scope | HttpClient.HttpClient>,
  settings: { readonly at?: (url: string) => string; readonly secret?: string } = {}
) =>
  Effect.gen(function* () {
    const alerts: Array<string> = []
    const { pass } = yield* ManualClock
    const clock = withShortPausesSkipped(yield* Clock.Clock, pass)
    return yield* Effect.gen(function* () {
      const { fake, url } = yield* FakeDtOne.start
      const secret = Redacted.make(settings.secret ?? credentials.secret)
      const baseUrl = settings.at?.(url) ?? url
      const provider = yield* dtone({ baseUrl, key: credentials.key, secret })
      return yield* test({ fake, provider, alerts, pass })
    }).pipe(Effect.provideService(Clock.Clock, clock), Effect.provide(errorsInto(alerts)))
  }).pipe(Effect.scoped, Effect.provide(Layer.fresh(Layer.mergeAll(ManualClock.layer, Client))))
