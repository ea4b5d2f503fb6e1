import { Data, type DateTime, Schema } from "effect"
import { type CompanyId, type IdempotencyKey, TransactionId } from "./Ids.ts"
import { type Asked, countNotFound } from "./Recovery.ts"
import type { Order } from "./Sale.ts"
import { Transaction } from "./Transaction.ts"

/** A reversal that may begin: named by its own key, of a sale that the caller can see. */
export interface ReversalIntent {
  readonly companyId: CompanyId
  readonly transactionId: TransactionId
  readonly key: IdempotencyKey
  readonly fingerprint: string
  /** The provider-facing name of the reversal, made of its key. */
  readonly xid: string
}

/** A reversal that has begun: what the provider is asked to take back, and later asked about. */
export interface Reversal {
  readonly id: number
  readonly xid: string
  readonly createdAt: DateTime.Utc
  readonly order: Order
}

/** A reversal under way, and the sale that it takes back. */
export interface UnderReversal {
  readonly reversal: Reversal
  readonly transaction: Transaction
}

/** Where a reversal stands. One that was denied, or never sent, makes room for another. */
export type ReversalStatus = "PROCESSING" | "PENDING" | "CONFIRMED" | "DENIED"

/** What a provider said of a reversal. Anything that is not firm is Unknown. */
export type ReversalAnswer = Data.TaggedEnum<{
  Confirmed: {}
  Denied: {}
  /** Provably nothing left this process. */
  NotSent: {}
  /** Asked about it, the provider does not know the reversal. */
  NotFound: {}
  Unknown: {}
}>
export const ReversalAnswer = Data.taggedEnum<ReversalAnswer>()

/** The name of an answer to a question about a reversal: a question that did not leave this process was not asked. */
export const statusTagOf = ({ _tag }: ReversalAnswer): Exclude<ReversalAnswer["_tag"], "NotSent"> | "NotAsked" =>
  _tag === "NotSent" ? "NotAsked" : _tag

/** How a reversal was answered: what the first call hears, and every replay of it. Contract: 4.5. */
export const ReversalOutcome = Schema.TaggedUnion({
  Reversed: { transaction: Transaction },
  Denied: { transactionId: TransactionId, xid: Schema.String },
  Pending: { transactionId: TransactionId, xid: Schema.String }
})
export type ReversalOutcome = typeof ReversalOutcome.Type

/** What becomes of a reversal; the money moves only when it is confirmed. Contract: 1. */
export type ReversalVerdict = Data.TaggedEnum<{
  Confirm: {}
  Deny: {}
  /** The provider was provably never reached: a key that has not answered yet is free again. */
  Free: {}
  Hold: {}
}>
export const ReversalVerdict = Data.taggedEnum<ReversalVerdict>()

/**
 * The answer that a verdict makes; none where the key is freed, or keeps the answer that it gave.
 *
 * @param toldPending whether the caller has already heard that the reversal is pending: then that is the answer.
 */
export const reversalOutcomeOf = (
  transaction: Transaction,
  verdict: ReversalVerdict,
  toldPending = false
): ReversalOutcome | null => {
  const { id: transactionId, xid } = transaction
  if (toldPending && verdict._tag !== "Free") return ReversalOutcome.cases.Pending.make({ transactionId, xid })
  return ReversalVerdict.$match(verdict, {
    Confirm: (): ReversalOutcome =>
      ReversalOutcome.cases.Reversed.make({ transaction: { ...transaction, status: "REVERSED" } }),
    Deny: (): ReversalOutcome => ReversalOutcome.cases.Denied.make({ transactionId, xid }),
    Hold: (): ReversalOutcome => ReversalOutcome.cases.Pending.make({ transactionId, xid }),
    Free: () => null
  })
}

/** What the provider's first answer means for the money. */
export const reversalVerdictOf: (answer: ReversalAnswer) => ReversalVerdict = ReversalAnswer.$match({
  Confirmed: () => ReversalVerdict.Confirm(),
  Denied: () => ReversalVerdict.Deny(),
  NotSent: () => ReversalVerdict.Free(),
  NotFound: () => ReversalVerdict.Hold(),
  Unknown: () => ReversalVerdict.Hold()
})

/**
 * Concludes from what the provider says of an unresolved reversal. One that the provider firmly does not know was never
 * made, so the sale stands.
 *
 * @returns null where nothing is to be written, for the reasons of `conclude`.
 */
export const concludeReversal = (
  reversal: Asked,
  answer: ReversalAnswer,
  now: DateTime.Utc
): { readonly verdict: ReversalVerdict; readonly notFound: number } | null => {
  // What was begun may have been sent by another process, so a question that could not be put decides nothing.
  if (answer._tag === "NotSent") return reversal.notFound > 0 ? null : { verdict: ReversalVerdict.Hold(), notFound: 0 }
  if (answer._tag !== "NotFound") return { verdict: reversalVerdictOf(answer), notFound: 0 }
  const counted = countNotFound(reversal, now)
  if (counted === null) return null
  const { denied, notFound } = counted
  return { verdict: denied ? ReversalVerdict.Deny() : ReversalVerdict.Hold(), notFound }
}
