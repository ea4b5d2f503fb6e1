import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Metric, Option, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { Books } from "../../../adapters/memory/Books.ts"
import * as DeliveriesMemory from "../../../adapters/memory/DeliveriesMemory.ts"
import * as WebhooksMemory from "../../../adapters/memory/WebhooksMemory.ts"
import { WebhookId } from "../../../core/domain/Event.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { errorOfStatus, WebhookUrl, webhookSecretOf } from "../../../core/domain/Webhook.ts"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { Deliveries } from "../../../core/ports/Deliveries.ts"
import { WebhookSender } from "../../../core/ports/WebhookSender.ts"
import { Webhooks } from "../../../core/ports/Webhooks.ts"
import { keepDelivering } from "../../../core/workflows/DeliverEvents.ts"

const companyId = CompanyId.make(1)

const fastUrl = "https://tienda.example.com/"
const slowUrl = "https://lenta.example.com/"

/**
 * Webhooks in memory with endpoints that answer with these statuses, and then with 200. The slow endpoint answers
 * after 14 seconds.
 */
const endpointWith = (...statuses: ReadonlyArray<number>) => {
  const left = [...statuses]
  const audited: Array<string> = []
  const sender = Layer.mock(WebhookSender, {
    readUrl: () => Result.fail("no_permitida"),
    send: ({ url }) =>
      Effect.sync(() => {
        const httpStatus = left.shift() ?? 200
        return { httpStatus, error: errorOfStatus(httpStatus), retryAfter_s: null, duration_ms: 1 }
      }).pipe(Effect.delay(url === slowUrl ? "14 seconds" : 0))
  })
  const log = Layer.mock(AuditLog, { record: ({ action }) => Effect.sync(() => void audited.push(action)) })
  const queue = Layer.merge(DeliveriesMemory.layer, WebhooksMemory.layer).pipe(Layer.provide(Books.layer))
  const metrics = Layer.sync(Metric.MetricRegistry, () => new Map())
  return { audited, layer: Layer.mergeAll(sender, log, queue, metrics) }
}

/** Writes test events for a new webhook. Returns the id of the webhook. */
const written = Effect.fnUntraced(function* (events: number, url = fastUrl) {
  const webhooks = yield* Webhooks
  const deliveries = yield* Deliveries
  const at = yield* DateTime.now
  const choice = { url: WebhookUrl.make(url), eventTypes: [], description: "" }
  const secret = Redacted.make(webhookSecretOf(new Uint8Array(32)))
  const { id } = Option.getOrThrow(yield* webhooks.add(companyId, choice, secret, at))
  yield* Effect.replicateEffect(deliveries.test(companyId, id, at), events)
  return id
})

/** Writes test events for a new webhook, starts a worker, and advances the clock by one second. */
const delivering = Effect.fnUntraced(function* (events: number, areSalesWaiting = false, render = () => "{}") {
  const id = yield* written(events)
  yield* Effect.forkChild(keepDelivering(render, Effect.succeed(areSalesWaiting)))
  // Advances the clock in steps, so that a timer that starts during a step ends too.
  yield* Effect.replicateEffect(TestClock.adjust("100 millis"), 10)
  return id
})

/** Number of values that a metric has recorded. */
const measured = (name: string) =>
  Effect.map(Metric.snapshot, (metrics) =>
    metrics
      .flatMap(({ id, state }) => (id === name && "count" in state ? Number(state.count) : []))
      .reduce((a, b) => a + b, 0)
  )

describe("the delivery of events", () => {
  it.effect("measures the time to the first attempt, not to retries or replays", () => {
    const { layer } = endpointWith(500)
    return Effect.gen(function* () {
      const deliveries = yield* Deliveries
      const id = yield* delivering(1)
      yield* TestClock.adjust("1 minute")
      const delivered = () => deliveries.list(companyId, id, { state: "entregada" }, { page: 1, perPage: 10 })
      assert.strictEqual((yield* delivered()).items[0]?.attempts, 2)
      const [sent] = (yield* delivered()).items
      if (sent === undefined) return assert.fail("nothing was delivered")
      yield* deliveries.replay(companyId, id, { sequence: sent.sequence }, yield* DateTime.now)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* delivered()).items[0]?.attempts, 1)
      assert.strictEqual(yield* measured("saldo_webhook_delivery_seconds"), 1)
      assert.strictEqual(yield* measured("saldo_webhook_attempts_total"), 3)
    }).pipe(Effect.provide(layer))
  })

  it.effect("claims again within a second after a claim during which the process was suspended", () => {
    const { layer } = endpointWith()
    let claims = 0
    return Effect.gen(function* () {
      const deliveries = yield* Deliveries
      const id = yield* delivering(1)
      yield* TestClock.adjust("25 minutes")
      yield* deliveries.test(companyId, id, yield* DateTime.now)
      yield* Effect.replicateEffect(TestClock.adjust("100 millis"), 10)
      const { total } = yield* deliveries.list(companyId, id, { state: "entregada" }, { page: 1, perPage: 10 })
      assert.strictEqual(total, 2)
    }).pipe(
      Effect.updateService(Deliveries, (deliveries) => ({
        ...deliveries,
        claim: (wanted) => {
          claims += 1
          return claims === 1 ? Effect.delay(deliveries.claim(wanted), "25 minutes") : deliveries.claim(wanted)
        }
      })),
      Effect.provide(layer)
    )
  })

  it.effect.each([
    [false, 300],
    [true, 64]
  ] as const)(
    "(sales wait for the database: %s) sends %d of 300 events within a second",
    ([areSalesWaiting, delivered]) => {
      const { layer } = endpointWith()
      return Effect.gen(function* () {
        const deliveries = yield* Deliveries
        const id = yield* delivering(300, areSalesWaiting)
        const { total } = yield* deliveries.list(companyId, id, { state: "entregada" }, { page: 1, perPage: 1 })
        assert.strictEqual(total, delivered)
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("goes on while sales wait for the database and slow endpoints have not answered", () => {
    const { layer } = endpointWith()
    return Effect.gen(function* () {
      const deliveries = yield* Deliveries
      yield* written(20, slowUrl)
      yield* written(20, slowUrl)
      const id = yield* delivering(20, true)
      const { total } = yield* deliveries.list(companyId, id, { state: "entregada" }, { page: 1, perPage: 1 })
      assert.strictEqual(total, 20)
    }).pipe(Effect.provide(layer))
  })

  it.effect("builds the body of an event once for two webhooks", () => {
    const { layer } = endpointWith()
    let bodies = 0
    return Effect.gen(function* () {
      yield* delivering(3, false, () => `{"number":${++bodies}}`)
      assert.strictEqual(yield* measured("saldo_webhook_attempts_total"), 6)
      assert.strictEqual(bodies, 3)
    }).pipe(
      Effect.updateService(Deliveries, (deliveries) => ({
        ...deliveries,
        claim: (wanted) =>
          Effect.map(deliveries.claim(wanted), (claimed) =>
            claimed.flatMap((each) => [each, { ...each, webhook: { ...each.webhook, id: WebhookId.make(999) } }])
          )
      })),
      Effect.provide(layer)
    )
  })

  it.effect("reports a disabled webhook once, although several deliveries get 410", () => {
    const { audited, layer } = endpointWith(410, 410, 410)
    return Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const id = yield* delivering(3)
      assert.strictEqual(Option.getOrThrow(yield* webhooks.find(companyId, id)).state, "desactivado")
      assert.deepStrictEqual(audited, ["webhook_disabled"])
    }).pipe(Effect.provide(layer))
  })
})
