import { Context, Effect, identity, Layer } from "effect"
import { simulatedInsurer as insurerSimulator } from "../../../adapters/insurer/SimulatedInsurer.ts"
import { simulatedSmsGateway as smsSimulator } from "../../../adapters/sms/SimulatedSms.ts"
import type { Environment } from "../../../core/domain/Company.ts"
import { type Insurer, Insurers } from "../../../core/ports/Insurer.ts"
import { Ledger } from "../../../core/ports/Ledger.ts"
import { type Provider, Providers } from "../../../core/ports/Provider.ts"
import { PolicyRenderer } from "../../../core/ports/Renderers.ts"
import { type SmsGateway, SmsGateways } from "../../../core/ports/SmsGateway.ts"

/**
 * Scripted behaviour of external services and of the ledger, by identifier, plate or phone. Without a script, the
 * simulator responds and the process does not crash.
 */
export class Script extends Context.Service<
  Script,
  {
    /** Provider behaviour by identifier. */
    readonly provider: Map<string, Partial<Provider>>
    /** How the insurer behaves for each plate. */
    readonly insurer: Map<string, Partial<Insurer>>
    /** How the SMS gateway behaves for each phone number. */
    readonly sms: Map<string, SmsGateway["send"]>
    /** How the policy of each plate is rendered. */
    readonly renderer: Map<string, PolicyRenderer["Service"]["pdf"]>
    /**
     * Environments in which the test uses the simulated insurer and SMS gateway, in addition to the environments that use
     * them by default.
     */
    readonly simulated: Set<Environment>
    /** Identifiers for which a sale crashes right after the reservation. */
    readonly crash: Set<string>
    /** Wrappers around the settlement of a sale, by identifier. */
    readonly settle: Map<string, <A>(write: Effect.Effect<A>) => Effect.Effect<A>>
  }
>()("test/Script") {
  static readonly layer = Layer.sync(Script, () => ({
    provider: new Map(),
    insurer: new Map(),
    sms: new Map(),
    renderer: new Map(),
    simulated: new Set<Environment>(),
    crash: new Set<string>(),
    settle: new Map()
  }))
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
      reverse: (asked) => (script.provider.get(asked.order.identifier)?.reverse ?? provider.reverse)(asked),
      reversalStatus: (asked) =>
        (script.provider.get(asked.order.identifier)?.reversalStatus ?? provider.reversalStatus)(asked)
    })
    // The service compares a provider with the simulator by `===`. So `simulator` and `serving` must return the same object.
    const simulator = played(real.simulator)
    return Providers.of({
      ...real,
      simulator,
      serving: (environment) =>
        Effect.map(real.serving(environment), (provider) =>
          provider === real.simulator ? simulator : played(provider)
        )
    })
  })
)

const insurers = Layer.effect(
  Insurers,
  Effect.gen(function* () {
    const script = yield* Script
    const real = yield* Insurers
    const played = (insurer: Insurer): Insurer => ({
      inspect: (wanted) => (script.insurer.get(wanted.plate)?.inspect ?? insurer.inspect)(wanted),
      plans: (of) => (script.insurer.get(of.plate)?.plans ?? insurer.plans)(of),
      quote: (wanted) => (script.insurer.get(wanted.plate)?.quote ?? insurer.quote)(wanted),
      issue: (order) => (script.insurer.get(order.identifier)?.issue ?? insurer.issue)(order),
      status: (order) => (script.insurer.get(order.identifier)?.status ?? insurer.status)(order)
    })
    return Insurers.of({
      serving: (environment) =>
        script.simulated.has(environment)
          ? Effect.succeed(played(insurerSimulator))
          : Effect.map(real.serving(environment), played)
    })
  })
)

const smsGateways = Layer.effect(
  SmsGateways,
  Effect.gen(function* () {
    const script = yield* Script
    const real = yield* SmsGateways
    const played = (gateway: SmsGateway): SmsGateway => ({
      ...gateway,
      send: (message) => (script.sms.get(message.to) ?? gateway.send)(message)
    })
    return SmsGateways.of({
      serving: (environment) =>
        script.simulated.has(environment)
          ? Effect.succeed(played(smsSimulator))
          : Effect.map(real.serving(environment), played)
    })
  })
)

const renderer = Layer.effect(
  PolicyRenderer,
  Effect.gen(function* () {
    const script = yield* Script
    const real = yield* PolicyRenderer
    return PolicyRenderer.of({
      pdf: (facts, document) => (script.renderer.get(facts.plate) ?? real.pdf)(facts, document)
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
        ),
      settle: (settlement) => (script.settle.get(settlement.order.identifier) ?? identity)(real.settle(settlement))
    })
  })
)

/** The ports of the external services and the ledger, with the behaviour of `Script`. */
export const scripted = Layer.mergeAll(providers, insurers, smsGateways, renderer, ledger)
