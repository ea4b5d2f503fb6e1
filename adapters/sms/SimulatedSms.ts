import { Effect } from "effect"
import { DeliveryAnswer, SmsAnswer } from "../../core/domain/Sms.ts"
import type { SmsGateway } from "../../core/ports/SmsGateway.ts"

/**
 * Simulated SMS gateway. It accepts every SMS and sends none. It never logs phone or text, because a company may use
 * real phones and texts in its tests.
 */
export const simulatedSmsGateway: SmsGateway = {
  idempotent: true,
  send: ({ id }) =>
    Effect.as(Effect.logDebug("simulated SMS, not sent", { id }), SmsAnswer.Sent({ reference: `SBX-${id}` })),
  // Saldo never calls this function, because the simulated SMS are not traceable.
  delivery: () => Effect.succeed(DeliveryAnswer.Open())
}
