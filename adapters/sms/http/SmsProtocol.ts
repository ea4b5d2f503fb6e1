import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { documented } from "../../http/Documented.ts"
import { notProcessed, text, word } from "../../http/Wire.ts"

const id = Schema.String.annotate({
  description: "Saldo's name for the message. The same id is the same message, and goes to the phone once.",
  examples: ["0199c1f5-7a3e-7c51-9d0a-4f1f0c1b2a3d"]
})

const Message = Schema.Struct({
  id,
  to: Schema.String.annotate({ description: "E.164.", examples: ["+18095551234"] }),
  text: Schema.String
}).annotate({ identifier: "Message", description: "A text message that is to be sent, once." })

const MessageAnswer = Schema.Union([
  Schema.Struct({
    outcome: Schema.Literal("sent"),
    id,
    reference: text(100).annotate({ description: "What the gateway calls the message." })
  }).annotate({ identifier: "Sent", description: "The gateway has it, and will send it. This is final." }),
  Schema.Struct({
    outcome: Schema.Literal("rejected"),
    id,
    reason: word.annotate({ description: "For the operator: `invalid_number`. Neither number nor text." })
  }).annotate({ identifier: "MessageRejected", description: "It was not sent and never will be. This is final." })
]).annotate({ identifier: "MessageAnswer", description: "What became of the message." })
export type MessageAnswer = typeof MessageAnswer.Type

const messages = HttpApiGroup.make("messages", { topLevel: true }).add(
  HttpApiEndpoint.post("send", "/v1/messages", {
    payload: Message,
    success: MessageAnswer,
    error: notProcessed
  }).annotate(OpenApi.Summary, "Send a message, once an id")
)

/** The protocol between Saldo and an SMS gateway. Described in docs/providers/sms.md. */
export const smsProtocol = HttpApi.make("sms")
  .add(messages)
  .annotateMerge(
    documented(
      "Saldo: a gateway for text messages",
      "What an operator implements to send the codes of insurance through a carrier of his own. sms.md beside this document has the rules in words."
    )
  )
