import { Layer } from "effect"
import { ServiceUnavailable } from "../../core/domain/Errors.ts"
import { type Provider, Providers } from "../../core/ports/Provider.ts"
import { type Guarded, serving } from "../http/Guarded.ts"
import { exampleLookup } from "./SimulatedLookup.ts"
import { simulator } from "./Simulator.ts"

/** Who delivers: the simulator in development; in production the given provider, or nobody. Contract: 1. */
export const layer = (production: Guarded<Provider> | null) =>
  Layer.succeed(Providers, {
    serving: serving(simulator, production, () => new ServiceUnavailable()),
    simulator,
    exampleLookup
  })
