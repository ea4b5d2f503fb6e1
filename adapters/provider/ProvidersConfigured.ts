import { Effect, Layer } from "effect"
import { ServiceUnavailable } from "../../core/domain/Errors.ts"
import { Providers } from "../../core/ports/Provider.ts"
import { simulator } from "./Simulator.ts"

/**
 * A company in development sells through the simulator. No provider for production is configured yet, so a company in
 * production is told that the service is unavailable: it must never meet the simulator.
 */
export const layer = Layer.succeed(Providers, {
  serving: (environment) =>
    environment === "development" ? Effect.succeed(simulator) : Effect.fail(new ServiceUnavailable()),
  simulator
})
