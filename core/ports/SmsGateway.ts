import { Context, type Effect } from "effect"
import type { Environment } from "../domain/Company.ts"
import type { InsuranceUnavailable } from "../domain/InsuranceErrors.ts"
import type { SmsAnswer, SmsMessage } from "../domain/Sms.ts"

/** Somebody who brings text messages to phones. */
export interface SmsGateway {
  /** Whether a message that comes twice with the same id is sent once. */
  readonly idempotent: boolean
  readonly send: (message: SmsMessage) => Effect.Effect<SmsAnswer>
}

/** Which gateway serves an environment. What a company in development sends reaches nobody. */
export class SmsGateways extends Context.Service<
  SmsGateways,
  {
    readonly serving: (environment: Environment) => Effect.Effect<SmsGateway, InsuranceUnavailable>
  }
>()("saldo/core/SmsGateways") {}
