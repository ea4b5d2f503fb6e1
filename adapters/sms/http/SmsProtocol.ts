import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { documented } from "../../http/Documented.ts"
import { notProcessed, text, word } from "../../http/Wire.ts"

const id = Schema.String.annotate({
  description: "Saldo's id of the SMS. A repeated id is the same SMS, and is sent to the phone only once.",
  examples: ["0199c1f5-7a3e-7c51-9d0a-4f1f0c1b2a3d"]
})

const Message = Schema.Struct({
  id,
  to: Schema.String.annotate({ description: "E.164.", examples: ["+18095551234"] }),
  text: Schema.String
}).annotate({ identifier: "Message", description: "An SMS to send, once." })

const MessageAnswer = Schema.Union([
  Schema.Struct({
    outcome: Schema.Literal("sent"),
    id,
    reference: text(100).annotate({ description: "The gateway's id of the SMS." })
  }).annotate({ identifier: "Sent", description: "The gateway accepted the SMS and will send it. Final." }),
  Schema.Struct({
    outcome: Schema.Literal("rejected"),
    id,
    reason: word.annotate({
      description: "Reason for the operator, for example `invalid_number`. Must contain neither number nor text."
    })
  }).annotate({ identifier: "MessageRejected", description: "The SMS was not sent and never will be. Final." })
]).annotate({ identifier: "MessageAnswer", description: "The result of sending the SMS." })
export type MessageAnswer = typeof MessageAnswer.Type

const messages = HttpApiGroup.make("messages", { topLevel: true }).add(
  HttpApiEndpoint.post("send", "/v1/messages", {
    payload: Message,
    success: MessageAnswer,
    error: notProcessed
  }).annotate(OpenApi.Summary, "Send an SMS, at most once for each id")
)

/** The protocol between Saldo and an SMS gateway. Described in docs/providers/sms.md. */
export const smsProtocol = HttpApi.make("sms")
  .add(messages)
  .annotateMerge(
    documented(
      "Saldo: an SMS gateway",
      "The API that an operator implements to send insurance codes through his own carrier. sms.md in the same folder states the rules."
    )
  )
