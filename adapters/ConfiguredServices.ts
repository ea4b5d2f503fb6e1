import { Layer } from "effect"
import { ServiceUnavailable } from "../core/domain/Errors.ts"
import { InsuranceUnavailable } from "../core/domain/InsuranceErrors.ts"
import { type Insurer, Insurers } from "../core/ports/Insurer.ts"
import { type Provider, Providers } from "../core/ports/Provider.ts"
import { type SmsGateway, SmsGateways } from "../core/ports/SmsGateway.ts"
import { byEnvironment, type Guarded } from "./http/Guard.ts"
import { simulatedInsurer } from "./insurer/SimulatedInsurer.ts"
import { exampleLookup, simulatedProvider } from "./provider/SimulatedProvider.ts"
import { simulatedSmsGateway } from "./sms/SimulatedSms.ts"

/** Selects the insurer: the simulator in development, the configured insurer (or none) in production. Contract: 1. */
export const insurersLayer = (production: Guarded<Insurer> | null) =>
  Layer.succeed(Insurers, { serving: byEnvironment(simulatedInsurer, production, () => new InsuranceUnavailable()) })

/** Selects the provider: the simulator in development, the configured provider (or none) in production. Contract: 1. */
export const providersLayer = (production: Guarded<Provider> | null) =>
  Layer.succeed(Providers, {
    serving: byEnvironment(simulatedProvider, production, () => new ServiceUnavailable()),
    simulator: simulatedProvider,
    exampleLookup
  })

/** Selects the SMS gateway: the simulator in development, the configured gateway (or none) in production. */
export const smsGatewaysLayer = (production: Guarded<SmsGateway> | null) =>
  Layer.succeed(SmsGateways, {
    serving: byEnvironment(simulatedSmsGateway, production, () => new InsuranceUnavailable())
  })
