import { DateTime, Effect, Option } from "effect"
import type { WebhookId } from "../domain/Event.ts"
import { UnknownWebhook } from "../domain/OperatorErrors.ts"
import { Deliveries, DeliveryReports, type Replay } from "../ports/Deliveries.ts"
import { Webhooks } from "../ports/Webhooks.ts"
import { atomically, recordAudit, requireAction } from "./AuditTrail.ts"

/** Finds a webhook of any company. Ids of webhooks are unique over all companies. */
const webhookOf = Effect.fnUntraced(function* (id: WebhookId) {
  const webhooks = yield* Webhooks
  const found = (yield* webhooks.list()).find((webhook) => webhook.id === id)
  return found ?? (yield* new UnknownWebhook({ webhookId: id }))
})

/** Reads a webhook and the state of its deliveries. */
export const showWebhook = Effect.fn("OperateWebhooks.showWebhook")(function* (id: WebhookId) {
  const webhook = yield* webhookOf(id)
  const reports = yield* DeliveryReports
  return { webhook, report: yield* reports.read(webhook.companyId, id, yield* DateTime.now) }
})

/** Disables a webhook. Only the company can activate the webhook again. Contract: 6.3. */
export const disableWebhook = Effect.fn("OperateWebhooks.disableWebhook")(function* (id: WebhookId) {
  yield* requireAction("webhook")
  const { companyId, state } = yield* webhookOf(id)
  const webhooks = yield* Webhooks
  const changed = yield* webhooks.change(companyId, id, { state: "desactivado" })
  if (Option.isNone(changed)) return yield* new UnknownWebhook({ webhookId: id })
  yield* recordAudit(
    "webhook_disabled",
    { companyId },
    { webhookId: id, by: "operator", before: { state }, after: { state: changed.value.state } }
  )
  return changed.value
}, atomically)

/** Puts the events of a time span into the queue of a webhook again. Returns the webhook and the number of events. */
export const replayWebhook = Effect.fn("OperateWebhooks.replayWebhook")(function* (
  id: WebhookId,
  span: Extract<Replay, { readonly since: unknown }>
) {
  yield* requireAction("webhook")
  const webhook = yield* webhookOf(id)
  const deliveries = yield* Deliveries
  const events = yield* deliveries.replay(webhook.companyId, id, span, yield* DateTime.now)
  const { onlyFailed, since, until } = span
  yield* recordAudit(
    "webhook_replayed",
    { companyId: webhook.companyId },
    {
      webhookId: id,
      since: DateTime.formatIso(since),
      until: until === null ? null : DateTime.formatIso(until),
      onlyFailed,
      events
    }
  )
  return { webhook, events }
}, atomically)
