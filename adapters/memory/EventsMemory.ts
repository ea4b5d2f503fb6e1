import { type DateTime, Effect, Layer } from "effect"
import { isLow } from "../../core/domain/Account.ts"
import { type CompanyEvent, EventSubject, Sequence, saleAt, type WebhookId } from "../../core/domain/Event.ts"
import type { TransactionId } from "../../core/domain/Ids.ts"
import type { Insurance } from "../../core/domain/Insurance.ts"
import type { EventType } from "../../core/domain/Webhook.ts"
import { Events, nextAfter } from "../../core/ports/Events.ts"
import type { Webhook } from "../../core/ports/Webhooks.ts"
import { Books, type CompanyBooks, saleOf } from "./Books.ts"
import { transactionOf } from "./TransactionsMemory.ts"

/** The type and subject of an event before it is written. */
type Fact = Pick<CompanyEvent, "type" | "subject">

/**
 * Whether a webhook receives an event. A test event goes only to the tested webhook, even if the webhook has not chosen
 * this type.
 */
const isSent = ({ subject, type }: Fact, { eventTypes, id, state }: Webhook): boolean =>
  state === "activo" &&
  (subject._tag === "Test" ? subject.webhookId === id : eventTypes.length === 0 || eventTypes.includes(type))

/** The key of a delivery in the map `CompanyBooks.deliveries`. */
export const deliveryKey = (id: WebhookId, sequence: Sequence): string => `${id} ${sequence}`

/** Puts an event into the queue of a webhook. An event that was already delivered is delivered again. */
export const enqueue = (books: CompanyBooks, webhookId: WebhookId, sequence: Sequence, dueAt: DateTime.Utc): void => {
  const fresh = { state: "pendiente", attempts: 0, leasedUntil: null, attempt: null } as const
  books.deliveries.set(deliveryKey(webhookId, sequence), { webhookId, sequence, dueAt, ...fresh })
}

/**
 * Turns the events of a company on or off. A balance that is already low when events are turned on counts as reported.
 */
export const turnEvents = ({ events, purse }: CompanyBooks, on: boolean): void => {
  if (events.on === on) return
  events.on = on
  events.reportedLow = isLow(purse.balance, purse.lowBalanceAlert)
}

/**
 * Writes events if the company has events on, as the SQL function record_events does. Adds balance.low or balance.recovered
 * if the available amount has crossed the alert value.
 */
export const recordEvents = (books: CompanyBooks, facts: ReadonlyArray<Fact>, at: DateTime.Utc): void => {
  const { events, purse } = books
  if (!events.on) return
  const { balance, lowBalanceAlert: alert } = purse
  const low = isLow(balance, alert)
  const crossed: Fact = {
    type: low ? "balance.low" : "balance.recovered",
    subject: EventSubject.Balance({ ...balance, alert })
  }
  for (const fact of [...facts, ...(low === events.reportedLow ? [] : [crossed])]) {
    const sequence = Sequence.make(events.written.length + 1)
    events.written.push({ sequence, at, ...fact })
    for (const { webhook } of books.webhooks.values()) {
      if (isSent(fact, webhook)) enqueue(books, webhook.id, sequence, at)
    }
  }
  events.reportedLow = low
}

/** The event that reports the status which a sale or its reversal has reached. */
export const saleFact = (books: CompanyBooks, type: EventType, id: TransactionId): Fact => {
  const transaction = saleAt(type, transactionOf(books, saleOf(books, id)))
  const isOfReversal = type === "transaction.reversed" || type === "reversal.failed"
  return {
    type,
    subject: EventSubject.Sale({ transaction: isOfReversal ? transaction : { ...transaction, reversal: null } })
  }
}

/** The event that reports the end of a policy's sale. */
export const policyFact = ({ id, policy }: Insurance, transactionId: TransactionId): Fact => ({
  type: policy === null ? "insurance.failed" : "insurance.issued",
  subject: EventSubject.Policy({
    insuranceId: id,
    transactionId,
    policyNumber: policy?.number ?? null,
    validFrom: policy?.validity.from ?? null,
    validUntil: policy?.validity.until ?? null
  })
})

/** The event that reports the newest ledger entry, which is a deposit or an adjustment. */
export const movementFact = (books: CompanyBooks, type: EventType): ReadonlyArray<Fact> =>
  books.entries.slice(-1).map((entry) => ({ type, subject: EventSubject.Movement({ entry }) }))

export const layer = Layer.effect(
  Events,
  Effect.map(Books, ({ of }) =>
    Events.of({
      list: (companyId, { after, limit, type }) =>
        Effect.sync(() => {
          const { written } = of(companyId).events
          const events = written
            .filter((event) => event.sequence > after && (type === undefined || event.type === type))
            .slice(0, limit)
            .map((event) => ({ companyId, ...event }))
          return { events, next: nextAfter(after, limit, events, written.length) }
        }),
      turnedOn: (companies) => Effect.sync(() => new Set(companies.filter((companyId) => of(companyId).events.on))),
      turn: (companyId, on) => Effect.sync(() => turnEvents(of(companyId), on)),
      purge: () => Effect.die(new Error("the in-memory adapter does not delete events"))
    })
  )
)
