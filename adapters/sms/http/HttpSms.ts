import { Effect } from "effect"
import { HttpApiClient } from "effect/http-api"
import { SmsAnswer, type SmsMessage } from "../../../core/domain/Sms.ts"
import type { SmsGateway } from "../../../core/ports/SmsGateway.ts"
import { e164 } from "../../http/E164.ts"
import { type GatewayOptions, gatewayClient } from "../../http/Gateway.ts"
import { askGateway, GatewayReply } from "../../http/GatewayReply.ts"
import { type MessageAnswer, smsProtocol } from "./SmsProtocol.ts"

const read =
  ({ id }: SmsMessage) =>
  (answer: MessageAnswer): SmsAnswer | null => {
    if (answer.id !== id) return null
    switch (answer.outcome) {
      case "sent":
        return SmsAnswer.Sent({ reference: answer.reference })
      case "rejected":
        return SmsAnswer.Rejected({ reason: answer.reason })
    }
  }

const smsAnswer: (reply: GatewayReply<SmsAnswer>) => SmsAnswer = GatewayReply.$match({
  Answered: ({ answer }): SmsAnswer => answer,
  NotDone: ({ reason }) => SmsAnswer.NotSent({ reason }),
  NotFound: () => SmsAnswer.Unknown({ reason: "the gateway does not know the SMS" }),
  Unknown: ({ reason }) => SmsAnswer.Unknown({ reason })
})

/**
 * An SMS gateway that speaks the protocol of docs/providers/sms.md. It sends an SMS only once, even if the same id
 * arrives again.
 */
export const make = Effect.fnUntraced(function* (options: GatewayOptions) {
  const gateway = yield* HttpApiClient.make(smsProtocol, { transformClient: yield* gatewayClient(options) })
  return {
    idempotent: true,
    send: (message) =>
      askGateway(gateway.send({ payload: { id: message.id, to: e164(message.to), text: message.text } }), {
        operation: "send",
        id: message.id,
        read: read(message)
      }).pipe(Effect.map(smsAnswer))
  } satisfies SmsGateway
})
