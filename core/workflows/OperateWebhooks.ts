import { DateTime, Effect, Option, Order } from "effect"
import type { WebhookId } from "../domain/Event.ts"
import type { CompanyId } from "../domain/Ids.ts"
import { UnknownWebhook } from "../domain/OperatorErrors.ts"
import type { Page } from "../domain/Page.ts"
import { Deliveries, DeliveryReports, type Replay } from "../ports/Deliveries.ts"
import { type Webhook, type WebhookState, Webhooks } from "../ports/Webhooks.ts"
import { atomically, recordAudit, requireAction } from "./AuditTrail.ts"

/** Finds a webhook of any company. Ids of webhooks are unique over all companies. */
const webhookOf = Effect.fnUntraced(function* (id: WebhookId) {
  const webhooks = yield* Webhooks
  const found = (yield* webhooks.list()).find((webhook) => webhook.id === id)
  return found ?? (yield* new UnknownWebhook({ webhookId: id }))
})

/** Which webhooks to list. All given fields must match. */
export interface WebhookFilter {
  readonly companyId?: CompanyId | undefined
  readonly state?: WebhookState | undefined
  /** Only webhooks with failing deliveries. */
  readonly failing?: boolean | undefined
}

// Dates are compared as numbers. A webhook without failures comes last.
const failingFirst = Order.mapInput(Order.Number, ({ failingSince }: Webhook) =>
  failingSince === null ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(failingSince)
)

/**
 * A page of the webhooks of all companies, each with the time since which its oldest due delivery has been waiting. The
 * webhooks that have failed for the longest time come first.
 */
export const listWebhooks = Effect.fn("OperateWebhooks.listWebhooks")(function* (
  { companyId, failing = false, state }: WebhookFilter,
  { page, perPage }: Page
) {
  const webhooks = yield* Webhooks
  const matching = (yield* webhooks.list(companyId))
    .filter(
      (webhook) => (state === undefined || webhook.state === state) && (!failing || webhook.failingSince !== null)
    )
    .toSorted(failingFirst)
  const shown = matching.slice((page - 1) * perPage, page * perPage)
  const reports = yield* DeliveryReports
  const dueSince = yield* reports.dueSince(
    shown.map(({ companyId, id }) => ({ companyId, webhookId: id })),
    yield* DateTime.now
  )
  const items = shown.map((webhook) => ({ webhook, dueSince: dueSince.get(webhook.id) ?? null }))
  return { items, total: matching.length }
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

/**
 * Puts the events of a time span into the queue of a webhook again. Returns the webhook and the number of events.
 *
 * Runs in several transactions. A single transaction would hold the locks of all these deliveries until its end, and the
 * results of attempts could not be recorded meanwhile. If the process dies before it writes the audit record, a part of the
 * replay may be done without a record. The operator gets no answer and can repeat the replay, because a receiver recognises
 * events by their id.
 */
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
})
