import type { CompanyBooks, ReversalEntry, Sale } from "../../../adapters/memory/Books.ts"
import { transactionOf } from "../../../adapters/memory/TransactionsMemory.ts"
import type { Entry } from "../../../core/domain/Account.ts"
import { EventSubject } from "../../../core/domain/Event.ts"
import type { Insurance } from "../../../core/domain/Insurance.ts"
import type { ReversalStatus, Status } from "../../../core/domain/Status.ts"
import type { EventType } from "../../../core/domain/Webhook.ts"
import type { ObservedCommit, ReportableChange } from "../engine/Simulation.ts"
import { aboutOf } from "../invariants/EventInvariants.ts"

/** The type of the event that reports that a sale has reached a status. Null if no event reports this status. */
export const saleEventTypes: Readonly<Record<Status, EventType | null>> = {
  PROCESSING: null,
  PENDING: "transaction.pending",
  SUCCESS: "transaction.succeeded",
  FAILED: "transaction.failed",
  // This change writes no event, because the event of the reversal reports it.
  REVERSED: null
}

export const reversalEventTypes: Readonly<Record<ReversalStatus, EventType | null>> = {
  PROCESSING: null,
  PENDING: null,
  CONFIRMED: "transaction.reversed",
  DENIED: "reversal.failed"
}

export const policyEventTypes: Readonly<Record<string, EventType>> = {
  emitida: "insurance.issued",
  fallida: "insurance.failed"
}

const entryEventTypes: Readonly<Record<Entry["type"], EventType | null>> = {
  deposit: "balance.deposited",
  adjustment: "balance.adjusted",
  sale: null,
  reversal: null
}

/** The state of a company's books after the previous write. */
interface KnownBooks {
  readonly statuses: Map<string, string>
  entries: number
  events: number
}

const saleChange = (books: CompanyBooks, sale: Sale, type: EventType | null): ReadonlyArray<ReportableChange> =>
  type === null
    ? []
    : [{ type, subject: EventSubject.Sale({ transaction: { ...transactionOf(books, sale), rechargeToken: null } }) }]

const policyChange = ({ id, policy, state, transactionId }: Insurance): ReadonlyArray<ReportableChange> => {
  const type = policyEventTypes[state]
  if (type === undefined || transactionId === null) return []
  const subject = EventSubject.Policy({
    insuranceId: id,
    transactionId,
    policyNumber: policy?.number ?? null,
    validFrom: policy?.validity.from ?? null,
    validUntil: policy?.validity.until ?? null
  })
  return [{ type, subject }]
}

const reversalChange = (books: CompanyBooks, { reversal, status }: ReversalEntry): ReadonlyArray<ReportableChange> => {
  const sale = books.sales.get(reversal.order.transactionId)
  return sale === undefined ? [] : saleChange(books, sale, reversalEventTypes[status])
}

/** The change that a new ledger entry makes. */
export const entryChange = (entry: Entry): ReadonlyArray<ReportableChange> => {
  const type = entryEventTypes[entry.type]
  return type === null ? [] : [{ type, subject: EventSubject.Movement({ entry }) }]
}

/** Finds the changes and events of each write to books in memory, by comparing the books with those before the write. */
export const commitReader = (): ((books: CompanyBooks) => ObservedCommit) => {
  const known = new Map<number, KnownBooks>()

  return (books) => {
    const { companyId, entries, events, insurances, purse, reversals, sales } = books
    const before: KnownBooks = known.get(companyId) ?? { statuses: new Map(), entries: 0, events: 0 }
    known.set(companyId, before)
    const hasChanged = (name: string, status: string): boolean => {
      if (before.statuses.get(name) === status) return false
      before.statuses.set(name, status)
      return true
    }
    const changes = [
      ...[...sales.values()].flatMap((sale) =>
        hasChanged(`sale ${sale.order.transactionId}`, sale.status)
          ? saleChange(books, sale, saleEventTypes[sale.status])
          : []
      ),
      ...[...insurances.values()].flatMap((insurance) =>
        hasChanged(`insurance ${insurance.id}`, insurance.state) ? policyChange(insurance) : []
      ),
      ...[...reversals.values()].flatMap((entry) =>
        hasChanged(`reversal ${entry.reversal.id}`, entry.status) ? reversalChange(books, entry) : []
      ),
      ...entries.slice(before.entries).flatMap(entryChange)
    ]
    const written = events.written.slice(before.events)
    before.entries = entries.length
    before.events = events.written.length
    return {
      companyId,
      changes,
      events: written.map(({ sequence, subject, type }) => ({ sequence, type, about: aboutOf(subject) })),
      account: { ...purse.balance, alert: purse.lowBalanceAlert, areEventsOn: events.on }
    }
  }
}
