import { Context, DateTime, Layer, type Redacted } from "effect"
import {
  type Balance,
  type Consumption,
  defaultLimits,
  type Entry,
  type Limits,
  owned
} from "../../core/domain/Account.ts"
import type { Closing } from "../../core/domain/Closing.ts"
import type { CompanyEvent, Sequence, WebhookId } from "../../core/domain/Event.ts"
import type { FundingProposal } from "../../core/domain/FundingProposal.ts"
import type { CompanyId, IdempotencyKey, InsuranceId, TerminalId, TransactionId } from "../../core/domain/Ids.ts"
import type { Insurance } from "../../core/domain/Insurance.ts"
import { type Periods, periodsOf } from "../../core/domain/LocalTime.ts"
import { Centavos, zero } from "../../core/domain/Money.ts"
import type { SentCode } from "../../core/domain/OneTimeCode.ts"
import type { Phone } from "../../core/domain/Person.ts"
import type { Reversal, ReversalOutcome } from "../../core/domain/Reversal.ts"
import type { Delivery, Order, Outcome } from "../../core/domain/Sale.ts"
import type { ReversalStatus, Status } from "../../core/domain/Status.ts"
import type { Attempt, DeliveryState, WebhookSecret } from "../../core/domain/Webhook.ts"
import type { ClaimedSms } from "../../core/ports/Outbox.ts"
import type { Webhook } from "../../core/ports/Webhooks.ts"

/** The recovery state of a sale or reversal. */
export interface Asking {
  readonly status: string
  readonly askAt: DateTime.Utc | null
  readonly askedAt: DateTime.Utc | null
  readonly leasedUntil: DateTime.Utc | null
  readonly notFound: number
}

/** A company's balance, limits and alert value. */
interface Purse {
  readonly balance: Balance
  readonly limits: Limits
  readonly lowBalanceAlert: Centavos
  /** When the company's money last moved. Null if it has never moved. */
  readonly updatedAt: DateTime.Utc | null
}

/** A sale with its recovery state. */
export interface Sale extends Asking {
  readonly order: Order
  readonly key: IdempotencyKey
  readonly terminalId: TerminalId | null
  readonly billId: string | null
  readonly insuranceId: InsuranceId | null
  readonly reversible: boolean
  /** The local day on which the sale counts as consumption. */
  readonly day: string
  readonly status: Status
  readonly delivery: Delivery | null
  readonly processedAt: DateTime.Utc | null
}

/** A reversal with its recovery state. */
export interface ReversalEntry extends Asking {
  readonly reversal: Reversal
  readonly key: IdempotencyKey
  readonly status: ReversalStatus
  readonly processedAt: DateTime.Utc | null
}

/** The last code sent for an insurance, with the counts of codes and attempts. */
export interface CodeEntry {
  readonly code: SentCode
  readonly attempts: number
  readonly resends: number
  /** Number of SMS with a code that did not reach the phone. Their codes do not count as resends. */
  readonly undelivered: number
}

/** An SMS in the outbox. */
export interface SmsEntry {
  readonly sms: Omit<ClaimedSms, "accounted">
  readonly status: "staged" | "sent" | "failed" | "unknown"
  /** The gateway's id of the SMS, or the reason for not sending it. */
  readonly detail: string | null
  readonly sendAt: DateTime.Utc
  /** When the delivery is next queried at the gateway. Null if no query is planned. */
  readonly askAt: DateTime.Utc | null
  readonly leasedUntil: DateTime.Utc | null
}

/** A webhook with its secrets. */
export interface WebhookEntry {
  readonly webhook: Webhook
  readonly secret: Redacted.Redacted<WebhookSecret>
  /** The secret before the last rotation. */
  readonly previous: Redacted.Redacted<WebhookSecret> | null
}

/** A delivery in the queue of a webhook. */
export interface QueuedDelivery {
  readonly webhookId: WebhookId
  readonly sequence: Sequence
  readonly state: DeliveryState
  readonly attempts: number
  readonly dueAt: DateTime.Utc
  readonly leasedUntil: DateTime.Utc | null
  /** The last attempt. Null if none was made. */
  readonly attempt: Attempt | null
}

/**
 * The last sale that a later check of settled sales has reached. A check reads sales in the order of their settlement, then
 * of their id.
 */
export interface Reached {
  readonly settledAt: DateTime.Utc
  /** 0 if the check has not reached any sale of this instant. */
  readonly transactionId: number
}

/** The progress of a later check of settled sales, and the lease of the process that works on this check. */
export interface CheckEntry {
  readonly reached: Reached
  readonly leasedUntil: DateTime.Utc | null
}

interface ClaimedKey<O> {
  readonly fingerprint: string
  /** The sale that was made with the key, or the sale that a reversal with the key reverses. */
  readonly transactionId: TransactionId
  readonly claimedAt: DateTime.Utc
  /** The stored response of the key. Null while the operation is in progress. */
  readonly outcome: O | null
}

export type SaleKey = ClaimedKey<Outcome> & { readonly reversalId: null }
export type ReversalKey = ClaimedKey<ReversalOutcome> & { readonly reversalId: number }

/** An idempotency key, with its sale or reversal. Sales and reversals share one key space. */
export type KeyEntry = SaleKey | ReversalKey

/** All data of one company. */
export interface CompanyBooks {
  readonly companyId: CompanyId
  purse: Purse
  readonly keys: Map<IdempotencyKey, KeyEntry>
  readonly sales: Map<TransactionId, Sale>
  readonly reversals: Map<number, ReversalEntry>
  readonly insurances: Map<InsuranceId, Insurance>
  readonly codes: Map<InsuranceId, CodeEntry>
  readonly messages: Map<string, SmsEntry>
  readonly consumption: Map<string, Centavos>
  readonly entries: Array<Entry>
  /** The references of all adjustments, including adjustments of 0, which have no ledger entry. */
  readonly adjustments: Set<string>
  /** Proposals of deposits and adjustments, by number. */
  readonly funding: Map<number, FundingProposal>
  /** The start of the first day that has not ended. No change may be recorded with an earlier time. */
  openFrom: DateTime.Utc
  readonly closings: Array<Closing>
  readonly events: {
    on: boolean
    /** Whether the last event `balance.low` is newer than the last event `balance.recovered`. */
    reportedLow: boolean
    readonly written: Array<Omit<CompanyEvent, "companyId">>
  }
  readonly webhooks: Map<WebhookId, WebhookEntry>
  /** The deliveries by webhook id and sequence number of the event. */
  readonly deliveries: Map<string, QueuedDelivery>
}

const emptyBooks = (companyId: CompanyId): CompanyBooks => ({
  companyId,
  purse: {
    balance: { available: zero, held: zero },
    limits: defaultLimits,
    lowBalanceAlert: zero,
    updatedAt: null
  },
  keys: new Map(),
  sales: new Map(),
  reversals: new Map(),
  insurances: new Map(),
  codes: new Map(),
  messages: new Map(),
  consumption: new Map(),
  entries: [],
  adjustments: new Set(),
  funding: new Map(),
  openFrom: DateTime.makeUnsafe(0),
  closings: [],
  events: { on: false, reportedLow: false, written: [] },
  webhooks: new Map(),
  deliveries: new Map()
})

/** Returns the sale. Throws if it does not exist. */
export const saleOf = (books: CompanyBooks, id: TransactionId): Sale => {
  const sale = books.sales.get(id)
  if (sale === undefined) throw new Error(`transaction ${id} does not exist`)
  return sale
}

/** Returns the reversal. Throws if it does not exist. */
export const reversalOf = (books: CompanyBooks, id: number): ReversalEntry => {
  const reversal = books.reversals.get(id)
  if (reversal === undefined) throw new Error(`reversal ${id} does not exist`)
  return reversal
}

/** Adds an amount to the consumption of a local day. A negative amount reduces it. */
export const consume = (books: CompanyBooks, day: string, centavos: number): void => {
  books.consumption.set(day, Centavos.make((books.consumption.get(day) ?? 0) + centavos))
}

/** The time to record for a change of the company. It is never in a day that has ended. */
export const timeIn = ({ openFrom }: CompanyBooks, at: DateTime.Utc): DateTime.Utc => DateTime.max(at, openFrom)

/** The fields of a ledger entry that cannot be computed from the balance. */
type Posting = Pick<Entry, "id" | "type" | "amount"> & Partial<Pick<Entry, "transactionId" | "reference">>

/** Adds a ledger entry and sets the balance that follows from it. */
export const post = (books: CompanyBooks, balance: Balance, posting: Posting, at: DateTime.Utc): void => {
  books.purse = { ...books.purse, balance, updatedAt: at }
  books.entries.push({ transactionId: null, reference: null, ...posting, balance: owned(balance), createdAt: at })
}

/** The company's consumption in each period, including held amounts. Contract: 2.3. */
export const consumptionIn = ({ consumption }: CompanyBooks, periods: Periods): Consumption => {
  const within = (period: keyof Periods): Centavos => {
    let total = 0
    for (const [day, amount] of consumption) if (periodsOf(day)[period] === periods[period]) total += amount
    return Centavos.make(total)
  }
  return { daily: within("day"), weekly: within("week"), monthly: within("month") }
}

/** The data of all companies in this process's memory. All memory adapters share it. */
export class Books extends Context.Service<
  Books,
  {
    readonly of: (companyId: CompanyId) => CompanyBooks
    readonly all: () => IterableIterator<CompanyBooks>
    /** The later checks of settled sales, by their `hours`. */
    readonly checks: Map<number, CheckEntry>
    /** When the latest messages to each phone were queued, the latest first. */
    readonly messagesTo: Map<Phone, ReadonlyArray<DateTime.Utc>>
    readonly nextTransactionId: () => number
    readonly nextReversalId: () => number
    readonly nextEntryId: () => number
    readonly nextFundingNumber: () => number
    readonly nextInsuranceId: () => number
    readonly nextWebhookId: () => number
  }
>()("saldo/adapters/memory/Books") {
  static readonly layer = Layer.sync(Books, () => {
    const companies = new Map<CompanyId, CompanyBooks>()
    let transactions = 0
    let reversals = 0
    let entries = 0
    let fundings = 0
    let insurances = 0
    let webhooks = 0
    return Books.of({
      of: (companyId) => {
        const known = companies.get(companyId) ?? emptyBooks(companyId)
        companies.set(companyId, known)
        return known
      },
      all: () => companies.values(),
      checks: new Map(),
      messagesTo: new Map(),
      nextTransactionId: () => ++transactions,
      nextReversalId: () => ++reversals,
      nextEntryId: () => ++entries,
      nextFundingNumber: () => ++fundings,
      nextInsuranceId: () => ++insurances,
      nextWebhookId: () => ++webhooks
    })
  })
}
