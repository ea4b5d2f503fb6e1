import { Clock, DateTime, Duration, Effect, FiberSet, Metric, Queue, Random, Schedule, Stream } from "effect"
import { type CompanyEvent, eventId, type WebhookId } from "../domain/Event.ts"
import { type Attempt, afterAttempt, isOverdue } from "../domain/Webhook.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { type ClaimedDelivery, Deliveries, type DeliveryResult } from "../ports/Deliveries.ts"
import { Events } from "../ports/Events.ts"
import { WebhookSender } from "../ports/WebhookSender.ts"
import { seriesOf } from "../telemetry/Metrics.ts"

/** Lease of a claimed delivery. Longer than an attempt, so that the attempt ends before the lease. */
const lease = Duration.seconds(45)

/** Maximum number of deliveries that a process sends at the same time, to all webhooks together. */
const sending_max = 512

/** The same maximum for a single webhook, so that a slow webhook does not delay the deliveries to other webhooks. */
const perWebhook_max = 16

/** How often a process looks for due retries, and for events with a lost notification. */
const lookEvery = Duration.millis(500)

/**
 * Shortest pause between two claims. One claim replaces all deliveries that ended in the pause before it. A pause is as
 * long as the claim before it, up to `lookEvery`, so that claims leave a slow database time for sales. The upper limit
 * matters after a claim during which the process was suspended.
 */
const claimPause = Duration.millis(20)

/**
 * The most deliveries that a process claims at once while its sales wait for the database, and the pause after such a
 * claim. These limits keep the rate of sales close to the rate without webhooks. The queue of deliveries grows until fewer
 * sales arrive or another process delivers.
 */
const yielding = { limit: 32, pause: Duration.millis(250) }

const attempts = seriesOf(["outcome"], (attributes) =>
  Metric.counter("saldo_webhook_attempts_total", {
    description: "Attempts to deliver an event, by outcome: Delivered, Retry, Exhausted or Gone",
    incremental: true,
    attributes
  })
)

const latency = Metric.histogram("saldo_webhook_delivery_seconds", {
  description: "Time from an event to the response of its first attempt, in seconds",
  boundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
})

/** Converts an event to the body of a delivery. */
export type Render = (event: CompanyEvent) => string

/** Makes the body of an event once for all its webhooks. */
const keptWithEvent = (render: Render): Render => {
  const bodies = new WeakMap<CompanyEvent, string>()
  return (event) => {
    const body = bodies.get(event) ?? render(event)
    bodies.set(event, body)
    return body
  }
}

/** Reports that the service has disabled a webhook. */
const reportDisabled = Effect.fnUntraced(function* (
  { event, webhook }: ClaimedDelivery,
  { at, attempt }: DeliveryResult
) {
  const details = { webhookId: webhook.id, error: attempt.error }
  yield* Effect.logWarning("a webhook was disabled because its deliveries fail", details)
  const log = yield* AuditLog
  yield* log.record({ at, action: "webhook_disabled", companyId: event.companyId, tokenId: null, details })
})

const resultOf = Effect.fnUntraced(function* (claimed: ClaimedDelivery, attempt: Attempt) {
  const at = yield* DateTime.now
  const after = afterAttempt(attempt, claimed.attempts + 1, yield* Random.next)
  const failed = after._tag !== "Delivered"
  const disables = after._tag === "Gone" || (failed && isOverdue(claimed.webhook.failingSince, at))
  return { attempt, after, disables, at } satisfies DeliveryResult
})

/**
 * Sends one delivery and records the result. If recording fails, the event is sent again after the lease. Webhooks
 * therefore receive events at least once.
 */
const deliver = Effect.fn("DeliverEvents.deliver", { level: "Debug" })(function* (
  claimed: ClaimedDelivery,
  render: Render
) {
  const deliveries = yield* Deliveries
  const sender = yield* WebhookSender
  const { event, webhook } = claimed
  const attempt = yield* sender.send({
    url: webhook.url,
    id: eventId(event.companyId, event.sequence),
    timestamp_s: Math.floor((yield* Clock.currentTimeMillis) / 1000),
    body: render(event),
    secrets: webhook.secrets
  })
  const result = yield* resultOf(claimed, attempt)
  yield* Metric.update(attempts({ outcome: result.after._tag }), 1)
  // Only first attempts are measured, because retries and replays are late on purpose.
  if (claimed.isFirst) {
    yield* Metric.update(latency, Duration.toSeconds(DateTime.distance(event.at, result.at)))
  }
  if (yield* deliveries.record(claimed, result)) yield* reportDisabled(claimed, result)
})

/**
 * Delivers events for the life of the process. Any number of processes may run this at the same time.
 *
 * @param render makes the body of a delivery.
 * @param areSalesWaiting whether sales of this process wait for the database.
 */
export const keepDelivering = Effect.fn("DeliverEvents.keepDelivering")(function* (
  render: Render,
  areSalesWaiting: Effect.Effect<boolean> = Effect.succeed(false)
) {
  const deliveries = yield* Deliveries
  const fibers = yield* FiberSet.make<void>()
  const renderOnce = keptWithEvent(render)
  const busy = new Map<WebhookId, number>()
  const ended = yield* Queue.sliding<void>(1)
  const count = (id: WebhookId, change: number) => {
    const sending = (busy.get(id) ?? 0) + change
    if (sending === 0) busy.delete(id)
    else busy.set(id, sending)
  }
  const start = Effect.fnUntraced(function* (claimed: ClaimedDelivery) {
    const { id } = claimed.webhook
    count(id, 1)
    const delivering = deliver(claimed, renderOnce).pipe(
      Effect.catchCause((cause) =>
        Effect.logError(
          "the result of a delivery could not be recorded; the event will be sent again",
          { webhookId: id },
          cause
        )
      ),
      Effect.ensuring(Effect.sync(() => count(id, -1))),
      Effect.ensuring(Queue.offer(ended, undefined))
    )
    yield* FiberSet.run(fibers, delivering)
  })
  const round = Effect.gen(function* () {
    const yields = yield* areSalesWaiting
    const free = Math.min(yields ? yielding.limit : sending_max, sending_max - (yield* FiberSet.size(fibers)))
    if (free > 0) {
      const now = yield* DateTime.now
      const claim = deliveries.claim({ now, lease, limit: free, perWebhook: perWebhook_max, busy })
      const [took, claimed] = yield* Effect.timed(claim)
      yield* Effect.forEach(claimed, start, { discard: true })
      yield* Effect.sleep(Duration.clamp(took, { minimum: claimPause, maximum: lookEvery }))
    }
    if (yields) yield* Effect.sleep(yielding.pause)
  }).pipe(Effect.catchCause((cause) => Effect.logError("a round of deliveries failed", cause)))
  return yield* deliveries.arrivals.pipe(
    Stream.merge(Stream.tick(lookEvery)),
    Stream.merge(Stream.fromQueue(ended)),
    Stream.buffer({ capacity: 1, strategy: "sliding" }),
    Stream.runForEach(() => round)
  )
})

/** How long events are kept. Contract: 6. */
const kept = Duration.days(30)

const purged_max = 1000

const purgeOnce = Effect.gen(function* () {
  const events = yield* Events
  const before = DateTime.subtractDuration(yield* DateTime.now, kept)
  while ((yield* events.purge(before, purged_max)) >= purged_max);
})

/** Deletes old events every hour, for the life of the process. A failed round is only logged. */
export const keepPurging = purgeOnce.pipe(
  Effect.catchCause((cause) => Effect.logError("old events could not be deleted", cause)),
  Effect.repeat(Schedule.spaced("1 hour"))
)
