import { Data, type DateTime, Schema } from "effect"
import type { Entry } from "./Account.ts"
import type { CompanyId, InsuranceId, TransactionId } from "./Ids.ts"
import type { Centavos } from "./Money.ts"
import type { Transaction } from "./Transaction.ts"
import type { EventType } from "./Webhook.ts"

/** Number of an event within its company. Numbers rise in commit order and may have gaps. */
export const Sequence = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).pipe(Schema.brand("Sequence"))
export type Sequence = typeof Sequence.Type

export const WebhookId = Schema.Int.check(Schema.isGreaterThan(0)).pipe(Schema.brand("WebhookId"))
export type WebhookId = typeof WebhookId.Type

/** Maximum number of webhooks of a company. Contract: 6. */
export const webhooks_max = 10

/** Subject of an event: a sale, a policy, a balance or a ledger entry, in its state at the time of the event. */
export type EventSubject = Data.TaggedEnum<{
  Sale: { readonly transaction: Transaction }
  /** The sale of a policy has ended. Contains no data of the insured person. */
  Policy: {
    readonly insuranceId: InsuranceId
    readonly transactionId: TransactionId
    /** Null if the policy was not issued. */
    readonly policyNumber: string | null
    /** First and last day of the policy. */
    readonly validFrom: string | null
    readonly validUntil: string | null
  }
  /** The available amount crossed the low-balance threshold (`alert`). */
  Balance: { readonly available: Centavos; readonly held: Centavos; readonly alert: Centavos }
  /** A deposit or an adjustment. */
  Movement: { readonly entry: Entry }
  Test: { readonly webhookId: WebhookId }
}>
export const EventSubject = Data.taggedEnum<EventSubject>()

/** An event of a company, such as a settled sale or a deposit. It is written once and never changes. */
export interface CompanyEvent {
  readonly companyId: CompanyId
  readonly sequence: Sequence
  readonly type: EventType
  readonly at: DateTime.Utc
  readonly subject: EventSubject
}

/** Id of an event on the wire. All deliveries and replays of the event have the same id. */
export const eventId = (companyId: CompanyId, sequence: Sequence): string => `evt_${companyId}_${sequence}`

const eventIdPattern = /^evt_([1-9]\d{0,15})_([1-9]\d{0,15})$/

/** The sequence number in the id of a company's event. Null if the text is not the id of an event of this company. */
export const sequenceIn = (companyId: CompanyId, id: string): Sequence | null => {
  const [, company, sequence] = eventIdPattern.exec(id) ?? []
  return Number(company) === companyId && Schema.is(Sequence)(Number(sequence)) ? Sequence.make(Number(sequence)) : null
}

const ofSale = (type: EventType, transaction: Transaction): Transaction => {
  switch (type) {
    case "transaction.pending":
      return { ...transaction, status: "PENDING", authCode: null, processedAt: null }
    case "transaction.succeeded":
    case "reversal.failed":
      return { ...transaction, status: "SUCCESS" }
    case "transaction.failed":
      return { ...transaction, status: "FAILED" }
    default:
      return transaction
  }
}

/**
 * The sale in its state at the time of the event, computed from the event's type and the sale's state today. A sale
 * changes only in its status and the fields that depend on the status. The recharge token is omitted, because it is a
 * secret that only the sale itself shows.
 */
export const saleAt = (type: EventType, today: Transaction): Transaction => ({
  ...ofSale(type, today),
  rechargeToken: null
})
