import { Layer } from "effect"
import { InsuranceUnavailable } from "../../core/domain/InsuranceErrors.ts"
import { type SmsGateway, SmsGateways } from "../../core/ports/SmsGateway.ts"
import { type Guarded, serving } from "../http/Guarded.ts"
import { simulator } from "./Simulator.ts"

/** Selects the SMS gateway: the simulator in development, the configured gateway (or none) in production. */
export const layer = (production: Guarded<SmsGateway> | null) =>
  Layer.succeed(SmsGateways, { serving: serving(simulator, production, () => new InsuranceUnavailable()) })
