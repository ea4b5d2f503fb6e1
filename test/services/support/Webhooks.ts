import { Context, Effect, Layer, Redacted } from "effect"
import { layer, type SenderOptions } from "../../../adapters/webhook/WebhookSenderUndici.ts"
import { WebhookUrl, webhookSecretOf } from "../../../core/domain/Webhook.ts"
import { type WebhookRequest, WebhookSender } from "../../../core/ports/WebhookSender.ts"
import { eventExamples } from "../../../facade/api/EventExamples.ts"
import type { startReceiver as startUnchecked } from "../../fakes/Receiver.ts"
import { checkingReceiver } from "../../support/ReceivedWebhook.ts"

export const secretOf = (byte: number) => webhookSecretOf(new Uint8Array(32).fill(byte))

/** A sender with its own connections, which close with the scope. */
export const makeSender = (options: SenderOptions) =>
  Effect.map(Layer.build(Layer.fresh(layer(options))), (context) => Context.get(context, WebhookSender))

/** A name lookup that returns these addresses for every name, and counts its calls. */
export const resolvingTo = (...answers: ReadonlyArray<ReadonlyArray<string>>) => {
  const asked: Array<string> = []
  const resolve = async (hostname: string) => {
    asked.push(hostname)
    return answers[Math.min(asked.length, answers.length) - 1] ?? []
  }
  return { asked, resolve }
}

const { event } = eventExamples["balance.deposited"]
const body = JSON.stringify({ ...event, id: "evt_1", data: { ...event.data, referencia: "Ñandú" } })

/** A receiver that checks each delivery. */
export const startReceiver = (...parts: Parameters<typeof startUnchecked>) =>
  checkingReceiver([secretOf(1), secretOf(2)], ...parts)

export const delivery = (url: string, changes: Partial<WebhookRequest> = {}): WebhookRequest => ({
  url: WebhookUrl.make(url),
  id: "evt_1",
  timestamp_s: 1_772_625_600,
  body,
  secrets: [Redacted.make(secretOf(1))],
  ...changes
})
