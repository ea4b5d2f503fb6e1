import { DateTime, Effect, Layer, Option, Stream } from "effect"
import { type CompanyEvent, EventSubject, type Sequence, type WebhookId } from "../../core/domain/Event.ts"
import { frozenAt, isUpTo } from "../../core/domain/Page.ts"
import { deliveryAfter } from "../../core/domain/Webhook.ts"
import {
  type ClaimedDelivery,
  Deliveries,
  type Delivery,
  type DeliveryClaim,
  type DeliveryResult,
  type Replay
} from "../../core/ports/Deliveries.ts"
import { Books, type CompanyBooks, type QueuedDelivery, type WebhookEntry } from "./Books.ts"
import { deliveryKey, enqueue, recordEvents } from "./EventsMemory.ts"
import { webhookIn } from "./WebhooksMemory.ts"

const isDue = ({ dueAt, leasedUntil, state }: QueuedDelivery, now: DateTime.Utc): boolean =>
  state === "pendiente" &&
  DateTime.isLessThanOrEqualTo(dueAt, now) &&
  (leasedUntil === null || DateTime.isLessThanOrEqualTo(leasedUntil, now))

const isSameInstant = (one: DateTime.Utc | null, other: DateTime.Utc): boolean =>
  one !== null && DateTime.Equivalence(one, other)

const eventOf = ({ companyId, events }: CompanyBooks, { sequence }: QueuedDelivery): CompanyEvent => {
  const event = events.written.find((written) => written.sequence === sequence)
  if (event === undefined) throw new Error(`event ${sequence} of company ${companyId} does not exist`)
  return { companyId, ...event }
}

const claimedOf = (
  books: CompanyBooks,
  queued: QueuedDelivery,
  entry: WebhookEntry,
  now: DateTime.Utc,
  leasedUntil: DateTime.Utc
) => {
  const { failingSince, id, previousUntil, url } = entry.webhook
  const signs = previousUntil !== null && DateTime.isGreaterThan(previousUntil, now)
  const secrets = entry.previous !== null && signs ? [entry.secret, entry.previous] : [entry.secret]
  const event = eventOf(books, queued)
  const { attempts, dueAt } = queued
  const isFirst = attempts === 0 && DateTime.Equivalence(dueAt, event.at)
  const webhook = { id, url, secrets, failingSince }
  return { webhook, event, attempts, isFirst, leasedUntil } satisfies ClaimedDelivery
}

const isWanted = (
  event: Pick<CompanyEvent, "at" | "sequence">,
  queued: QueuedDelivery | undefined,
  wanted: Replay
): boolean =>
  "sequence" in wanted
    ? event.sequence === wanted.sequence
    : DateTime.isGreaterThanOrEqualTo(event.at, wanted.since) &&
      (wanted.until === null || DateTime.isLessThanOrEqualTo(DateTime.startOf(event.at, "second"), wanted.until)) &&
      (!wanted.onlyFailed || queued?.state === "fallida")

const claimIn = (
  companies: Iterable<CompanyBooks>,
  { busy, lease, limit, now, perWebhook }: DeliveryClaim
): ReadonlyArray<ClaimedDelivery> => {
  const leasedUntil = DateTime.addDuration(now, lease)
  const claimed: Array<ClaimedDelivery> = []
  for (const books of companies) {
    for (const entry of books.webhooks.values()) {
      const { failingSince, id, state } = entry.webhook
      let free = (failingSince === null ? perWebhook : 1) - (busy.get(id) ?? 0)
      for (const [key, queued] of books.deliveries) {
        if (free <= 0 || claimed.length >= limit || state !== "activo") break
        if (queued.webhookId !== id || !isDue(queued, now)) continue
        books.deliveries.set(key, { ...queued, leasedUntil })
        claimed.push(claimedOf(books, queued, entry, now, leasedUntil))
        free--
      }
    }
  }
  return claimed
}

const recordIn = (
  books: CompanyBooks,
  { event, leasedUntil, webhook: { id, url } }: ClaimedDelivery,
  { after, at, attempt, disables }: DeliveryResult
): boolean => {
  const key = deliveryKey(id, event.sequence)
  const queued = books.deliveries.get(key)
  const entry = books.webhooks.get(id)
  if (entry === undefined || queued === undefined || !isSameInstant(queued.leasedUntil, leasedUntil)) return false
  const isOfEarlierUrl = entry.webhook.url !== url
  books.deliveries.set(key, {
    ...queued,
    ...(isOfEarlierUrl && after._tag === "Gone" ? { dueAt: at } : deliveryAfter(after, at)),
    attempts: queued.attempts + 1,
    leasedUntil: null,
    attempt
  })
  if (isOfEarlierUrl) return false
  const failingSince = attempt.error === null ? null : (entry.webhook.failingSince ?? at)
  const isDisabled = disables && entry.webhook.state === "activo"
  const state = isDisabled ? "desactivado" : entry.webhook.state
  books.webhooks.set(id, { ...entry, webhook: { ...entry.webhook, failingSince, state } })
  return isDisabled
}

const testIn = (books: CompanyBooks, id: WebhookId, at: DateTime.Utc): Option.Option<Sequence> => {
  const isActive = Option.exists(webhookIn(books, id), ({ state }) => state === "activo")
  if (!books.events.on || !isActive) return Option.none()
  recordEvents(books, [{ type: "webhook.test", subject: EventSubject.Test({ webhookId: id }) }], at)
  return Option.map(Option.fromUndefinedOr(books.events.written.at(-1)), ({ sequence }) => sequence)
}

const deliveryOf = (books: CompanyBooks, queued: QueuedDelivery): Delivery => {
  const { at, type } = eventOf(books, queued)
  return {
    companyId: books.companyId,
    webhookId: queued.webhookId,
    sequence: queued.sequence,
    type,
    state: queued.state,
    attempts: queued.attempts,
    httpStatus: queued.attempt?.httpStatus ?? null,
    error: queued.attempt?.error ?? null,
    duration_ms: queued.attempt?.duration_ms ?? null,
    createdAt: at,
    nextAttempt: queued.state === "pendiente" ? queued.dueAt : null
  }
}

const replayIn = (books: CompanyBooks, id: WebhookId, wanted: Replay, at: DateTime.Utc): number => {
  const found = books.events.written.filter(
    ({ subject, ...event }) =>
      (subject._tag !== "Test" || subject.webhookId === id) &&
      isWanted(event, books.deliveries.get(deliveryKey(id, event.sequence)), wanted)
  )
  for (const { sequence } of found) enqueue(books, id, sequence, at)
  return found.length
}

// Each method works in one synchronous step, so that no other fiber sees a partial change.
const make = Effect.map(Books, ({ all, of }) =>
  Deliveries.of({
    claim: (claim) => Effect.sync(() => claimIn(all(), claim)),
    record: (claimed, result) => Effect.sync(() => recordIn(of(claimed.event.companyId), claimed, result)),
    arrivals: Stream.never,
    test: (companyId, id, at) => Effect.sync(() => testIn(of(companyId), id, at)),
    list: (companyId, id, filter, { page, perPage }) =>
      Effect.sync(() => {
        const books = of(companyId)
        const ofWebhook = [...books.deliveries.values()]
          .filter(({ webhookId }) => webhookId === id)
          .sort((left, right) => right.sequence - left.sequence)
        const found = ofWebhook.filter(
          ({ sequence, state }) => isUpTo(filter, sequence) && (filter.state ?? state) === state
        )
        const shown = found.slice((page - 1) * perPage, page * perPage)
        return {
          items: shown.map((queued) => deliveryOf(books, queued)),
          total: found.length,
          upTo: frozenAt(filter, ofWebhook[0]?.sequence ?? 0)
        }
      }),
    replay: (companyId, id, wanted, at) => Effect.sync(() => replayIn(of(companyId), id, wanted, at))
  })
)

export const layer = Layer.effect(Deliveries, make)
