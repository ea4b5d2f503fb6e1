import { Context, type Effect } from "effect"
import type { Environment } from "../domain/Company.ts"
import type { InsuranceUnavailable } from "../domain/InsuranceErrors.ts"
import type { DeliveryAnswer, SmsAnswer, SmsMessage } from "../domain/Sms.ts"

/** The two ids of a message that a gateway accepted: Saldo's id and the gateway's id. */
export interface AcceptedSms {
  readonly id: string
  readonly reference: string
}

/** A gateway that delivers SMS. */
export interface SmsGateway {
  /** Whether the gateway sends a repeated id only once. */
  readonly idempotent: boolean
  readonly send: (message: SmsMessage) => Effect.Effect<SmsAnswer>
  /** Asks whether a message that the gateway accepted as traceable was delivered. Changes nothing. */
  readonly delivery: (sms: AcceptedSms) => Effect.Effect<DeliveryAnswer>
}

/** The gateway of each environment. Messages of development companies are not delivered. */
export class SmsGateways extends Context.Service<
  SmsGateways,
  {
    readonly serving: (environment: Environment) => Effect.Effect<SmsGateway, InsuranceUnavailable>
  }
>()("saldo/core/SmsGateways") {}
