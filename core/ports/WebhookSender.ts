import { Context, type Effect, type Redacted, type Result } from "effect"
import type { Attempt, WebhookSecret, WebhookUrl } from "../domain/Webhook.ts"

/** An event to send to one webhook. */
export interface WebhookRequest {
  readonly url: WebhookUrl
  /** Id of the event. All attempts have the same id. */
  readonly id: string
  /** Time of this attempt in Unix seconds. Receivers refuse old signatures. */
  readonly timestamp_s: number
  readonly body: string
  /** Each secret signs the request. After a rotation, the previous secret is included for a time. */
  readonly secrets: ReadonlyArray<Redacted.Redacted<WebhookSecret>>
}

/** Sends events to webhooks, signed as Standard Webhooks defines. Connects only to permitted addresses. */
export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /** Reads the URL that a company gives for a webhook, by the same rules as `send`. */
    readonly readUrl: (text: string) => Result.Result<WebhookUrl, "no_permitida">
    /**
     * Sends an event once, and ends within 15 seconds. Never fails: the returned attempt has the reason if the event
     * was not delivered. Does not follow redirects, and drops the body of the response.
     */
    readonly send: (request: WebhookRequest) => Effect.Effect<Attempt>
  }
>()("saldo/core/WebhookSender") {}
