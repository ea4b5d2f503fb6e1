import { DateTime, Duration, Effect } from "effect"
import type { CompanyBooks } from "../../../adapters/memory/Books.ts"
import { deliveryKey, enqueue } from "../../../adapters/memory/EventsMemory.ts"
import { transactionOf } from "../../../adapters/memory/TransactionsMemory.ts"
import { isLow } from "../../../core/domain/Account.ts"
import { type CompanyEvent, EventSubject, Sequence } from "../../../core/domain/Event.ts"
import { AfterAttempt } from "../../../core/domain/Webhook.ts"
import type { Deliveries } from "../../../core/ports/Deliveries.ts"
import type { VariantContext } from "../run/Simulate.ts"
import { booksOf, companyIn, ledgerMutant, type Mutant, portsMutant, reversalsMutant, runAfter } from "./Mutant.ts"

type EventToWrite = Pick<CompanyEvent, "type" | "subject">

/** Writes an event with the next number, and a delivery to each active webhook. */
const writeEvent = ({ deliveries, events, webhooks }: CompanyBooks, event: EventToWrite): void => {
  if (!events.on) return
  const last = events.written.at(-1)
  const at = last?.at ?? DateTime.makeUnsafe(0)
  const sequence = Sequence.make((last?.sequence ?? 0) + 1)
  events.written.push({ ...event, sequence, at })
  for (const { webhook } of webhooks.values())
    if (webhook.state === "activo" && !deliveries.has(deliveryKey(webhook.id, sequence)))
      enqueue({ deliveries } as CompanyBooks, webhook.id, sequence, at)
}

/** Removes the newest event with its deliveries. */
const removeEvent = ({ deliveries, events, webhooks }: CompanyBooks): void => {
  const removed = events.written.pop()
  if (removed === undefined) return
  for (const id of webhooks.keys()) deliveries.delete(deliveryKey(id, removed.sequence))
}

/** The events that were written after the given number of events. */
const newEvents = ({ events }: CompanyBooks, before: number) => events.written.slice(before)

/** Mutants of the events that transactions write. */
const writerMutants: ReadonlyArray<Mutant> = [
  reversalsMutant("a reversal has no event", ({ settle }, bench) => ({
    settle: (settlement) =>
      Effect.suspend(() => {
        const books = companyIn(bench, settlement.unresolved.reversal.order.companyId)
        const before = books.events.written.length
        return runAfter(settle(settlement), () => {
          if (newEvents(books, before).some(({ type }) => type === "transaction.reversed")) removeEvent(books)
        })
      })
  })),
  ledgerMutant("a settlement writes its event twice", ({ settle }, bench) => ({
    settle: (settlement) =>
      runAfter(settle(settlement), ({ won }) => {
        const books = companyIn(bench, settlement.order.companyId)
        const last = books.events.written.at(-1)
        if (won && settlement.verdict._tag === "Confirm" && last !== undefined) writeEvent(books, last)
      })
  })),
  ledgerMutant("a settlement that came too late writes an event", ({ settle }, bench) => ({
    settle: (settlement) =>
      runAfter(settle(settlement), ({ won }) => {
        const books = companyIn(bench, settlement.order.companyId)
        const sale = books.sales.get(settlement.order.transactionId)
        if (!won && sale !== undefined)
          writeEvent(books, {
            type: "transaction.succeeded",
            subject: EventSubject.Sale({ transaction: transactionOf(books, sale) })
          })
      })
  })),
  ledgerMutant("a refused reservation writes an event", ({ reserve }, bench) => ({
    reserve: (intent) =>
      Effect.tapError(reserve(intent), () =>
        Effect.sync(() => {
          const books = companyIn(bench, intent.companyId)
          const [sale] = books.sales.values()
          if (sale !== undefined)
            writeEvent(books, {
              type: "transaction.failed",
              subject: EventSubject.Sale({ transaction: transactionOf(books, sale) })
            })
        })
      )
  })),
  ledgerMutant("an event takes the number of an earlier event", ({ settle }, bench) => ({
    settle: (settlement) =>
      Effect.suspend(() => {
        const { events } = companyIn(bench, settlement.order.companyId)
        const before = events.written.length
        return runAfter(settle(settlement), () => {
          const [first] = events.written
          for (const event of events.written.slice(before))
            if (first !== undefined) Object.assign(event, { sequence: first.sequence })
        })
      })
  })),
  ledgerMutant("each sale below the alert value writes balance.low", ({ reserve }, bench) => ({
    reserve: (intent) =>
      runAfter(reserve(intent), () => {
        const books = companyIn(bench, intent.companyId)
        const { balance, lowBalanceAlert: alert } = books.purse
        const newest = books.events.written.at(-1)
        if (isLow(balance, alert) && newest?.type !== "balance.low")
          writeEvent(books, { type: "balance.low", subject: EventSubject.Balance({ ...balance, alert }) })
      })
  })),
  ledgerMutant("a deposit never writes balance.recovered", ({ deposit }, bench) => ({
    deposit: (wanted) =>
      runAfter(deposit(wanted), () => {
        const books = companyIn(bench, wanted.companyId)
        if (books.events.written.at(-1)?.type === "balance.recovered") removeEvent(books)
      })
  })),
  ledgerMutant("the first sale turns events on", ({ reserve }, bench) => ({
    reserve: (intent) =>
      Effect.suspend(() => {
        const { events } = companyIn(bench, intent.companyId)
        const { on } = events
        return runAfter(reserve(intent), () => {
          const books = companyIn(bench, intent.companyId)
          const [entry] = books.entries
          events.on = true
          if (!on && entry !== undefined)
            writeEvent(books, { type: "balance.deposited", subject: EventSubject.Movement({ entry }) })
          events.on = on
        })
      })
  }))
]

/** A mutant of the queue of deliveries. */
const deliveriesMutant = (
  name: string,
  change: (deliveries: Deliveries["Service"], bench: VariantContext) => Partial<Deliveries["Service"]>
): Mutant =>
  portsMutant(name, ({ deliveries }, bench) => ({ deliveries: { ...deliveries, ...change(deliveries, bench) } }))

/** Mutates an event: it contains the sale as it is when the event is sent, not as it was when the event was written. */
const withSaleOfToday = (bench: VariantContext, event: CompanyEvent): CompanyEvent => {
  if (event.subject._tag !== "Sale") return event
  const books = companyIn(bench, event.companyId)
  const sale = books.sales.get(event.subject.transaction.id)
  return sale === undefined
    ? event
    : { ...event, subject: EventSubject.Sale({ transaction: transactionOf(books, sale) }) }
}

/** Mutants of the deliveries to webhooks. */
const deliveryMutants: ReadonlyArray<Mutant> = [
  deliveriesMutant("a response with an error status counts as a delivery", ({ record }) => ({
    record: (claimed, result) =>
      record(
        claimed,
        result.attempt.httpStatus === null ? result : { ...result, after: AfterAttempt.Delivered(), disables: false }
      )
  })),
  deliveriesMutant("a delivery fails after its first attempt", ({ record }) => ({
    record: (claimed, result) =>
      record(claimed, result.after._tag === "Retry" ? { ...result, after: AfterAttempt.Exhausted() } : result)
  })),
  deliveriesMutant("a claimed delivery is lost if its process dies", ({ claim }) => ({
    claim: (wanted) => claim({ ...wanted, lease: Duration.days(3650) })
  })),
  deliveriesMutant("a claim ignores the leases of deliveries", ({ claim }, bench) => ({
    claim: (wanted) =>
      Effect.suspend(() => {
        for (const { deliveries } of booksOf(bench).all())
          for (const [key, queued] of deliveries) deliveries.set(key, { ...queued, leasedUntil: null })
        return claim(wanted)
      })
  })),
  deliveriesMutant("a webhook that responds with 410 stays active", ({ record }) => ({
    record: (claimed, result) => record(claimed, { ...result, disables: false })
  })),
  deliveriesMutant("an event is sent with its sale of today", ({ claim }, bench) => ({
    claim: (wanted) =>
      Effect.map(claim(wanted), (claimed) =>
        claimed.map((delivery) => ({ ...delivery, event: withSaleOfToday(bench, delivery.event) }))
      )
  })),
  deliveriesMutant("each attempt has a new event number", ({ claim }, { sim }) => ({
    claim: (wanted) =>
      Effect.map(claim(wanted), (claimed) =>
        claimed.map((delivery) => ({
          ...delivery,
          event: { ...delivery.event, sequence: Sequence.make(delivery.event.sequence + sim.eventLoop.now_ms) }
        }))
      )
  })),
  deliveriesMutant("a replay writes a new event", ({ replay }, bench) => ({
    replay: (companyId, id, wanted, at) =>
      runAfter(replay(companyId, id, wanted, at), (replayed) => {
        const books = companyIn(bench, companyId)
        const [first] = books.events.written
        if (replayed > 0 && first !== undefined) writeEvent(books, first)
      })
  })),
  portsMutant("a deleted webhook stays active", ({ webhooks }) => ({
    webhooks: { ...webhooks, remove: () => Effect.succeed(true) }
  }))
]

/** Mutants of events and of their deliveries. */
export const eventMutants: ReadonlyArray<Mutant> = [...writerMutants, ...deliveryMutants]
