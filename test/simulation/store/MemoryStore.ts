import { Context, DateTime, Duration, Effect, Layer, Scope } from "effect"
import * as AccountsMemory from "../../../adapters/memory/AccountsMemory.ts"
import { Books, type CompanyBooks } from "../../../adapters/memory/Books.ts"
import * as ClosingsMemory from "../../../adapters/memory/ClosingsMemory.ts"
import * as DeliveriesMemory from "../../../adapters/memory/DeliveriesMemory.ts"
import * as EventsMemory from "../../../adapters/memory/EventsMemory.ts"
import * as FollowUpsMemory from "../../../adapters/memory/FollowUpsMemory.ts"
import { isFollowed } from "../../../adapters/memory/FollowUpsMemory.ts"
import * as FundingProposalsMemory from "../../../adapters/memory/FundingProposalsMemory.ts"
import * as InsurancesMemory from "../../../adapters/memory/InsurancesMemory.ts"
import * as LedgerMemory from "../../../adapters/memory/LedgerMemory.ts"
import * as OptionsMemory from "../../../adapters/memory/OptionsMemory.ts"
import * as OutboxMemory from "../../../adapters/memory/OutboxMemory.ts"
import * as ReversalsMemory from "../../../adapters/memory/ReversalsMemory.ts"
import * as TransactionsMemory from "../../../adapters/memory/TransactionsMemory.ts"
import * as UnresolvedMemory from "../../../adapters/memory/UnresolvedMemory.ts"
import * as WebhooksMemory from "../../../adapters/memory/WebhooksMemory.ts"
import { checks } from "../../../core/domain/FollowUp.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { isUnresolved } from "../../../core/domain/Status.ts"
import { CellDirectory } from "../../../core/ports/CellDirectory.ts"
import type { DatabaseObserver } from "../engine/Simulation.ts"
import { type BackgroundLoop, type DatabasePorts, portsIn, type Store } from "../process/Store.ts"
import { auditBooks } from "./BooksAudit.ts"
import { commitReader } from "./CommitsMemory.ts"
import * as ResolutionsMemory from "./ResolutionsMemory.ts"

/** Books in memory have no cells. */
const noCells = CellDirectory.of({
  list: Effect.succeed([]),
  measured: Effect.succeed([]),
  add: () => Effect.die(new Error("books in memory have no cells")),
  setState: () => Effect.succeedNone,
  setCompanies: () => Effect.void
})

const layer = Layer.mergeAll(
  AccountsMemory.accountsLayer,
  AccountsMemory.adjustmentsLayer,
  Layer.succeed(CellDirectory, noCells),
  ClosingsMemory.layer,
  FollowUpsMemory.layer,
  EventsMemory.layer,
  FundingProposalsMemory.layer,
  InsurancesMemory.insurancesLayer,
  LedgerMemory.layer,
  OptionsMemory.layer,
  OutboxMemory.layer,
  ResolutionsMemory.layer,
  ReversalsMemory.layer,
  TransactionsMemory.layer,
  UnresolvedMemory.layer,
  DeliveriesMemory.layer,
  WebhooksMemory.layer
).pipe(Layer.provideMerge(Books.layer))

/** The earliest time at which work may be claimed, because it is due and no lease is active. */
const availableAt_ms = (at: DateTime.Utc | null, leasedUntil: DateTime.Utc | null): number =>
  Math.max(at === null ? 0 : DateTime.toEpochMillis(at), leasedUntil === null ? 0 : DateTime.toEpochMillis(leasedUntil))

const soonest = (all: ReadonlyArray<number>): number | null => (all.length === 0 ? null : Math.min(...all))

/** When a check of settled sales is next due. A check that has not begun is due for all settled sales. */
const followUpDue = (books: Books["Service"]): number | null => {
  const settled = [...books.all()].flatMap(({ sales }) =>
    [...sales.values()]
      .filter(isFollowed)
      .map(({ order, processedAt }) => ({ at_ms: DateTime.toEpochMillis(processedAt), id: order.transactionId }))
  )
  return soonest(
    checks.flatMap(({ dueAfter, hours }) => {
      const { leasedUntil, reached } = books.checks.get(hours) ?? { leasedUntil: null, reached: null }
      const reached_ms = reached === null ? 0 : DateTime.toEpochMillis(reached.settledAt)
      const next = soonest(
        settled.flatMap(({ at_ms, id }) =>
          at_ms > reached_ms || (at_ms === reached_ms && id > (reached?.transactionId ?? 0)) ? [at_ms] : []
        )
      )
      return next === null ? [] : availableAt_ms(DateTime.makeUnsafe(next + Duration.toMillis(dueAfter)), leasedUntil)
    })
  )
}

/**
 * When the next delivery of a company may be claimed. A webhook whose attempts fail gets one delivery at a time, so its
 * other deliveries wait for the end of the lease.
 */
const deliveryDueIn = ({ deliveries, webhooks }: CompanyBooks): number | null => {
  const instants: Array<number> = []
  for (const { webhook } of webhooks.values()) {
    if (webhook.state !== "activo") continue
    const waiting = [...deliveries.values()].filter(
      ({ state, webhookId }) => state === "pendiente" && webhookId === webhook.id
    )
    const isSending = webhook.failingSince !== null && waiting.some(({ leasedUntil }) => leasedUntil !== null)
    for (const { dueAt, leasedUntil } of waiting)
      if (!isSending || leasedUntil !== null) instants.push(availableAt_ms(dueAt, leasedUntil))
  }
  return soonest(instants)
}

const dueIn = (books: CompanyBooks, loop: BackgroundLoop): number | null => {
  const { messages, reversals, sales } = books
  const instants: Array<number> = []
  if (loop === "deliveries") return deliveryDueIn(books)
  if (loop === "messages") {
    for (const { leasedUntil, sendAt, status } of messages.values())
      if (status === "staged") instants.push(availableAt_ms(sendAt, leasedUntil))
    return soonest(instants)
  }
  for (const asked of [sales, reversals])
    for (const each of asked.values())
      if (isUnresolved(each) && each.askAt !== null) instants.push(availableAt_ms(each.askAt, each.leasedUntil))
  return soonest(instants)
}

/** A database in memory. All processes share one set of books, and an audit follows every write. */
export const memoryStore = (watch: DatabaseObserver): Store => {
  const context = Effect.runSync(Layer.buildWithScope(Layer.fresh(layer), Scope.makeUnsafe()))
  const books = Context.get(context, Books)
  const booksOf = (companyId: number) => books.of(CompanyId.make(companyId))
  const readCommit = commitReader()
  const dues = new Map<BackgroundLoop, number | null>()
  const ports: DatabasePorts = {
    ...portsIn(context),
    record: () => Effect.void
  }

  const auditCompany = (company: CompanyBooks) => {
    const unsound = auditBooks(company)
    if (unsound !== null) watch.unsound(unsound.invariant, unsound.what)
    watch.seen(company.sales.values())
    watch.committed(readCommit(company))
  }

  return {
    books,
    areResponsesOrdered: true,
    view: {
      balance: (companyId) => booksOf(companyId).purse.balance,
      limits: (companyId) => booksOf(companyId).purse.limits,
      sales: (companyId) => booksOf(companyId).sales.values(),
      byHand: (companyId) => {
        const { entries, funding } = booksOf(companyId)
        const agreed = new Set(
          [...funding.values()].flatMap(({ decision, entryId, proposedBy }) =>
            decision !== null && decision.by !== proposedBy && entryId !== null ? [entryId] : []
          )
        )
        return entries
          .filter(({ transactionId }) => transactionId === null)
          .map((entry) => ({ ...entry, agreed: agreed.has(entry.id) }))
      },
      undecided: (companyId) =>
        [...booksOf(companyId).reversals.values()]
          .filter(isUnresolved)
          .map(({ reversal: { createdAt, order, xid } }) => ({ xid, createdAt, transactionId: order.transactionId }))
    },
    open: () => ports,
    due: (loop) => {
      const known = dues.get(loop)
      if (known !== undefined) return known
      const due =
        loop === "follow-up" ? followUpDue(books) : soonest([...books.all()].flatMap((each) => dueIn(each, loop) ?? []))
      dues.set(loop, due)
      return due
    },
    wrote: (companyId) => {
      dues.clear()
      if (companyId !== null) auditCompany(booksOf(companyId))
    },
    look: (check) => check(),
    settle: null,
    audit: async () => {
      for (const company of books.all()) auditCompany(company)
    },
    finalEvents: async () => {
      const all = [...books.all()]
      return {
        events: all.flatMap(({ companyId, events }) => events.written.map((event) => ({ companyId, ...event }))),
        deliveries: all.flatMap(({ companyId, deliveries, webhooks }) =>
          [...deliveries.values()].flatMap(({ sequence, state, webhookId }) => {
            const entry = webhooks.get(webhookId)
            if (entry === undefined) return []
            return [{ companyId, webhookId, sequence, state, webhookState: entry.webhook.state }]
          })
        )
      }
    }
  }
}
