import { Layer } from "effect"
import { ServiceUnavailable } from "../../core/domain/Errors.ts"
import { type Provider, Providers } from "../../core/ports/Provider.ts"
import { type Guarded, serving } from "../http/Guarded.ts"
import { exampleLookup } from "./SimulatedLookup.ts"
import { simulator } from "./Simulator.ts"

/** Selects the provider: the simulator in development, the configured provider (or none) in production. Contract: 1. */
export const layer = (production: Guarded<Provider> | null) =>
  Layer.succeed(Providers, {
    serving: serving(simulator, production, () => new ServiceUnavailable()),
    simulator,
    exampleLookup
  })
