import { Effect } from "effect"
import { SmsAnswer } from "../../core/domain/Sms.ts"
import type { SmsGateway } from "../../core/ports/SmsGateway.ts"

/** Takes every message and brings it to nobody. Phone and text are never logged: a company may test with real ones. */
export const simulator: SmsGateway = {
  idempotent: true,
  send: ({ id }) =>
    Effect.as(Effect.logDebug("a simulated message", { id }), SmsAnswer.Sent({ reference: `SBX-${id}` }))
}
