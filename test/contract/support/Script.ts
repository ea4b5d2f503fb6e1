import { Context, Effect, Layer } from "effect"
import { Ledger } from "../../../core/ports/Ledger.ts"
import { type Provider, Providers } from "../../../core/ports/Provider.ts"

/**
 * What is to happen to the sales of an identifier, by that identifier: to all others the simulator answers, and the
 * process lives.
 */
export class Script extends Context.Service<
  Script,
  {
    /** The provider behaves so. */
    readonly provider: Map<string, Partial<Provider>>
    /** The process dies as soon as the amount is reserved. */
    readonly crash: Set<string>
  }
>()("test/Script") {
  static readonly layer = Layer.sync(Script, () => ({ provider: new Map(), crash: new Set<string>() }))
}

const providers = Layer.effect(
  Providers,
  Effect.gen(function* () {
    const script = yield* Script
    const real = yield* Providers
    const played = (provider: Provider): Provider => ({
      ...provider,
      dispatch: (order) => (script.provider.get(order.identifier)?.dispatch ?? provider.dispatch)(order),
      status: (order) => (script.provider.get(order.identifier)?.status ?? provider.status)(order),
      reverse: (asked) => (script.provider.get(asked.order.identifier)?.reverse ?? provider.reverse)(asked)
    })
    return Providers.of({
      ...real,
      serving: (environment) => Effect.map(real.serving(environment), played)
    })
  })
)

const ledger = Layer.effect(
  Ledger,
  Effect.gen(function* () {
    const script = yield* Script
    const real = yield* Ledger
    return Ledger.of({
      ...real,
      reserve: (intent) =>
        Effect.tap(real.reserve(intent), () =>
          script.crash.has(intent.identifier) ? Effect.die(new Error("the process died")) : Effect.void
        )
    })
  })
)

/** Ports that play the script. */
export const scripted = Layer.merge(providers, ledger)
