import { Layer } from "effect"
import { InsuranceUnavailable } from "../../core/domain/InsuranceErrors.ts"
import { type Insurer, Insurers } from "../../core/ports/Insurer.ts"
import { type Guarded, serving } from "../http/Guarded.ts"
import { simulator } from "./Simulator.ts"

/** Who insures: the simulator in development; in production the given insurer, or nobody. Contract: 1. */
export const layer = (production: Guarded<Insurer> | null) =>
  Layer.succeed(Insurers, { serving: serving(simulator, production, () => new InsuranceUnavailable()) })
