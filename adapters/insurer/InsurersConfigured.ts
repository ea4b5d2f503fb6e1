import { Layer } from "effect"
import { InsuranceUnavailable } from "../../core/domain/InsuranceErrors.ts"
import { type Insurer, Insurers } from "../../core/ports/Insurer.ts"
import { type Guarded, serving } from "../http/Guarded.ts"
import { simulator } from "./Simulator.ts"

/** Selects the insurer: the simulator in development, the configured insurer (or none) in production. Contract: 1. */
export const layer = (production: Guarded<Insurer> | null) =>
  Layer.succeed(Insurers, { serving: serving(simulator, production, () => new InsuranceUnavailable()) })
