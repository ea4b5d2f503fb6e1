import { Context, type Effect } from "effect"
import type { Environment } from "../domain/Company.ts"
import type { InsuranceUnavailable } from "../domain/InsuranceErrors.ts"
import type { SmsAnswer, SmsMessage } from "../domain/Sms.ts"

/** A gateway that delivers SMS. */
export interface SmsGateway {
  /** Whether the gateway sends a repeated id only once. */
  readonly idempotent: boolean
  readonly send: (message: SmsMessage) => Effect.Effect<SmsAnswer>
}

/** The gateway of each environment. Messages of development companies are not delivered. */
export class SmsGateways extends Context.Service<
  SmsGateways,
  {
    readonly serving: (environment: Environment) => Effect.Effect<SmsGateway, InsuranceUnavailable>
  }
>()("saldo/core/SmsGateways") {}
