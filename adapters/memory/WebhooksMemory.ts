import { Effect, Layer, Option } from "effect"
import { WebhookId, webhooks_max } from "../../core/domain/Event.ts"
import { type Webhook, Webhooks } from "../../core/ports/Webhooks.ts"
import { Books, type CompanyBooks, type WebhookEntry } from "./Books.ts"
import { turnEvents } from "./EventsMemory.ts"

/** The webhook, if the company has it. */
export const webhookIn = ({ webhooks }: CompanyBooks, id: WebhookId): Option.Option<Webhook> =>
  Option.map(Option.fromUndefinedOr(webhooks.get(id)), ({ webhook }) => webhook)

export const layer = Layer.effect(
  Webhooks,
  Effect.map(Books, ({ all, nextWebhookId, of }) => {
    const put = (books: CompanyBooks, entry: WebhookEntry): Webhook => {
      books.webhooks.set(entry.webhook.id, entry)
      return entry.webhook
    }
    return Webhooks.of({
      add: (companyId, choice, secret, at) =>
        Effect.sync(() => {
          const books = of(companyId)
          if (books.webhooks.size >= webhooks_max) return Option.none()
          turnEvents(books, true)
          const id = WebhookId.make(nextWebhookId())
          const state = { state: "activo", failingSince: null, previousUntil: null, createdAt: at } as const
          return Option.some(put(books, { webhook: { companyId, id, ...choice, ...state }, secret, previous: null }))
        }),
      list: (companyId) =>
        Effect.sync(() =>
          (companyId === undefined ? [...all()] : [of(companyId)]).flatMap(({ webhooks }) =>
            [...webhooks.values()].map(({ webhook }) => webhook)
          )
        ),
      find: (companyId, id) => Effect.sync(() => webhookIn(of(companyId), id)),
      change: (companyId, id, changes) =>
        Effect.sync(() => {
          const books = of(companyId)
          const entry = books.webhooks.get(id)
          if (entry === undefined) return Option.none()
          const failingSince = changes.state === "activo" ? null : entry.webhook.failingSince
          const { webhook } = entry
          const changed = {
            url: changes.url ?? webhook.url,
            eventTypes: changes.eventTypes ?? webhook.eventTypes,
            description: changes.description ?? webhook.description,
            state: changes.state ?? webhook.state
          }
          return Option.some(put(books, { ...entry, webhook: { ...webhook, ...changed, failingSince } }))
        }),
      remove: (companyId, id) =>
        Effect.sync(() => {
          const books = of(companyId)
          for (const [key, { webhookId }] of books.deliveries) if (webhookId === id) books.deliveries.delete(key)
          return books.webhooks.delete(id)
        }),
      rotate: (companyId, id, secret, previousUntil) =>
        Effect.sync(() => {
          const books = of(companyId)
          const entry = books.webhooks.get(id)
          if (entry === undefined) return false
          put(books, { webhook: { ...entry.webhook, previousUntil }, secret, previous: entry.secret })
          return true
        })
    })
  })
)
