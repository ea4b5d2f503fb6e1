import { Effect, Schema } from "effect"
import { HttpApi, HttpApiClient, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { e164 } from "../../core/domain/Person.ts"
import { DeliveryAnswer, SmsAnswer, type SmsMessage } from "../../core/domain/Sms.ts"
import type { AcceptedSms, SmsGateway } from "../../core/ports/SmsGateway.ts"
import { type GatewayOptions, gatewayClient } from "../http/GatewayClient.ts"
import {
  notProcessed,
  optionalOrNull,
  printableText,
  protocolAnnotations,
  reasonCode
} from "../http/GatewayProtocol.ts"
import { askGateway, GatewayReply } from "../http/GatewayReply.ts"

const id = Schema.String.annotate({
  description:
    "Saldo's id of the SMS. A request that repeats an id is about the same SMS, which must be sent to the phone only once.",
  examples: ["0199c1f5-7a3e-7c51-9d0a-4f1f0c1b2a3d"]
})

const Message = Schema.Struct({
  id,
  to: Schema.String.annotate({ description: "The phone number in E.164 format.", examples: ["+18095551234"] }),
  text: Schema.String
}).annotate({ identifier: "Message", description: "An SMS to send. The gateway must send it only once." })

const refusalReason = reasonCode.annotate({
  description:
    "Reason for the operator, for example `invalid_number`. It must not contain the phone number or the text of the SMS."
})

const MessageAnswer = Schema.Union([
  Schema.Struct({
    outcome: Schema.Literal("sent"),
    id,
    reference: printableText(100, "The gateway's id of the SMS."),
    traceable: optionalOrNull(Schema.Boolean).annotate({
      description: "Whether `GET /v1/messages/{id}` answers for this SMS. Without this field Saldo does not ask."
    })
  }).annotate({ identifier: "Sent", description: "The gateway accepted the SMS and will send it. Final." }),
  Schema.Struct({
    outcome: Schema.Literal("rejected"),
    id,
    reason: refusalReason
  }).annotate({ identifier: "MessageRejected", description: "The SMS was not sent and never will be. Final." })
]).annotate({ identifier: "MessageAnswer", description: "The result of sending the SMS." })
export type MessageAnswer = typeof MessageAnswer.Type

const DeliveryState = Schema.Union([
  Schema.Struct({ outcome: Schema.Literal("delivered"), id }).annotate({
    identifier: "MessageDelivered",
    description: "The SMS reached the phone. Final."
  }),
  Schema.Struct({ outcome: Schema.Literal("failed"), id, reason: refusalReason }).annotate({
    identifier: "MessageFailed",
    description: "The SMS did not reach the phone and never will. Final."
  }),
  Schema.Struct({ outcome: Schema.Literal("pending"), id }).annotate({
    identifier: "MessagePending",
    description: "The delivery is not decided, or not known. Saldo asks again until the code of the SMS expires."
  })
]).annotate({ identifier: "DeliveryState", description: "The delivery of the SMS." })
type DeliveryState = typeof DeliveryState.Type

const messages = HttpApiGroup.make("messages", { topLevel: true }).add(
  HttpApiEndpoint.post("send", "/v1/messages", {
    payload: Message,
    success: MessageAnswer,
    error: notProcessed
  }).annotate(OpenApi.Summary, "Send an SMS, at most once for each id"),
  HttpApiEndpoint.get("delivery", "/v1/messages/:id", {
    params: { id },
    success: DeliveryState,
    error: notProcessed
  }).annotate(OpenApi.Summary, "Get the delivery of an SMS (optional)")
)

/** The protocol between Saldo and an SMS gateway. Described in docs/providers/sms.md. */
export const smsProtocol = HttpApi.make("sms")
  .add(messages)
  .annotateMerge(
    protocolAnnotations(
      "Saldo: an SMS gateway",
      "The API that an operator of Saldo implements to send insurance codes through a carrier of its choice. sms.md in the same folder states the rules."
    )
  )

const readAnswer =
  ({ id }: SmsMessage) =>
  (answer: MessageAnswer): SmsAnswer | null => {
    if (answer.id !== id) return null
    switch (answer.outcome) {
      case "sent":
        return SmsAnswer.Sent({ reference: answer.reference, traceable: answer.traceable ?? false })
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

const readDelivery =
  ({ id }: AcceptedSms) =>
  (answer: DeliveryState): DeliveryAnswer | null => {
    if (answer.id !== id) return null
    switch (answer.outcome) {
      case "delivered":
        return DeliveryAnswer.Delivered()
      case "failed":
        return DeliveryAnswer.Failed({ reason: answer.reason })
      case "pending":
        return DeliveryAnswer.Open()
    }
  }

/**
 * An SMS gateway that implements the protocol of docs/providers/sms.md. The gateway sends each SMS id only once, even
 * if it receives the same id again.
 */
export const make = Effect.fnUntraced(function* (options: GatewayOptions) {
  const gateway = yield* HttpApiClient.make(smsProtocol, { transformClient: yield* gatewayClient(options) })
  return {
    idempotent: true,
    send: (message) =>
      askGateway(gateway.send({ payload: { id: message.id, to: e164(message.to), text: message.text } }), {
        operation: "send",
        id: message.id,
        read: readAnswer(message)
      }).pipe(Effect.map(smsAnswer)),
    delivery: (sms) =>
      askGateway(gateway.delivery({ params: { id: sms.id } }), {
        operation: "delivery",
        id: sms.id,
        read: readDelivery(sms)
      }).pipe(Effect.map((reply) => (reply._tag === "Answered" ? reply.answer : DeliveryAnswer.Open())))
  } satisfies SmsGateway
})
