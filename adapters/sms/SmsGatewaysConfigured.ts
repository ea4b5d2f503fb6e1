import { Layer } from "effect"
import { InsuranceUnavailable } from "../../core/domain/InsuranceErrors.ts"
import { type SmsGateway, SmsGateways } from "../../core/ports/SmsGateway.ts"
import { type Guarded, serving } from "../http/Guarded.ts"
import { simulator } from "./Simulator.ts"

/**
 * Who brings messages: nobody in development, where the simulator answers; in production the given gateway, or nobody.
 */
export const layer = (production: Guarded<SmsGateway> | null) =>
  Layer.succeed(SmsGateways, { serving: serving(simulator, production, () => new InsuranceUnavailable()) })
