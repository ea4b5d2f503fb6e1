import { Data, type DateTime, Schema } from "effect"
import { type CompanyId, type IdempotencyKey, TransactionId } from "./Ids.ts"
import { type Asked, countNotFound } from "./Recovery.ts"
import type { Order } from "./Sale.ts"
import { Transaction } from "./Transaction.ts"

/** A request to reverse a sale, under its own idempotency key. */
export interface ReversalIntent {
  readonly companyId: CompanyId
  readonly transactionId: TransactionId
  readonly key: IdempotencyKey
  readonly fingerprint: string
  /** The id of the reversal at the provider, derived from its key. */
  readonly xid: string
}

/**
 * A recorded reversal, with the data that the provider needs to reverse the sale and to report the reversal's status.
 */
export interface Reversal {
  readonly id: number
  readonly xid: string
  readonly createdAt: DateTime.Utc
  readonly order: Order
}

/** An unresolved reversal and its sale. */
export interface UnresolvedReversal {
  readonly reversal: Reversal
  readonly transaction: Transaction
}

/** A provider's answer about a reversal. Every answer that is not firm is Unknown. */
export type ReversalAnswer = Data.TaggedEnum<{
  Confirmed: {}
  Denied: {}
  /** The request provably did not leave this process. */
  NotSent: {}
  /** The provider does not know the reversal. */
  NotFound: {}
  Unknown: {}
}>
export const ReversalAnswer = Data.taggedEnum<ReversalAnswer>()

/** Name of an answer to a status question. A question that did not leave this process counts as not asked. */
export const statusTagOf = ({ _tag }: ReversalAnswer): Exclude<ReversalAnswer["_tag"], "NotSent"> | "NotAsked" =>
  _tag === "NotSent" ? "NotAsked" : _tag

/** The response to a reversal, for the first call and every replay. Contract: 4.5. */
export const ReversalOutcome = Schema.TaggedUnion({
  Reversed: { transaction: Transaction },
  Denied: { transactionId: TransactionId, xid: Schema.String },
  Pending: { transactionId: TransactionId, xid: Schema.String }
})
export type ReversalOutcome = typeof ReversalOutcome.Type

/** The decision on a reversal. Money moves only on Confirm. Contract: 1. */
export type ReversalVerdict = Data.TaggedEnum<{
  Confirm: {}
  Deny: {}
  /** The request provably did not reach the provider. The key is freed if it has no stored response. */
  Free: {}
  Hold: {}
}>
export const ReversalVerdict = Data.taggedEnum<ReversalVerdict>()

/**
 * The response that a verdict produces. Null when the key is freed or keeps its earlier response.
 *
 * @param at when the reversal settles.
 * @param toldPending whether the caller has already received "pending". If so, the response stays "pending".
 */
export const reversalOutcomeOf = (
  { reversal, transaction }: UnresolvedReversal,
  verdict: ReversalVerdict,
  at: DateTime.Utc,
  toldPending = false
): ReversalOutcome | null => {
  const { id: transactionId, xid } = transaction
  if (toldPending && verdict._tag !== "Free") return ReversalOutcome.cases.Pending.make({ transactionId, xid })
  return ReversalVerdict.$match(verdict, {
    Confirm: (): ReversalOutcome =>
      ReversalOutcome.cases.Reversed.make({
        transaction: {
          ...transaction,
          status: "REVERSED",
          reversal: { status: "CONFIRMED", requestedAt: reversal.createdAt, resolvedAt: at }
        }
      }),
    Deny: (): ReversalOutcome => ReversalOutcome.cases.Denied.make({ transactionId, xid }),
    Hold: (): ReversalOutcome => ReversalOutcome.cases.Pending.make({ transactionId, xid }),
    Free: () => null
  })
}

/** The verdict that follows from the provider's first answer. */
export const reversalVerdictOf: (answer: ReversalAnswer) => ReversalVerdict = ReversalAnswer.$match({
  Confirmed: () => ReversalVerdict.Confirm(),
  Denied: () => ReversalVerdict.Deny(),
  NotSent: () => ReversalVerdict.Free(),
  NotFound: () => ReversalVerdict.Hold(),
  Unknown: () => ReversalVerdict.Hold()
})

/**
 * Decides what to write after the provider's answer about an unresolved reversal. A firm "not found" means that the
 * reversal never happened, so the sale stays in SUCCESS.
 *
 * @returns null when nothing should be written, for the reasons given at `conclude` in Recovery.ts.
 */
export const concludeReversal = (
  reversal: Asked,
  answer: ReversalAnswer,
  now: DateTime.Utc
): { readonly verdict: ReversalVerdict; readonly notFound: number } | null => {
  // Another process may have sent the recorded reversal, so a question that was not sent decides nothing.
  if (answer._tag === "NotSent") return reversal.notFound > 0 ? null : { verdict: ReversalVerdict.Hold(), notFound: 0 }
  if (answer._tag !== "NotFound") return { verdict: reversalVerdictOf(answer), notFound: 0 }
  const counted = countNotFound(reversal, now)
  if (counted === null) return null
  const { denied, notFound } = counted
  return { verdict: denied ? ReversalVerdict.Deny() : ReversalVerdict.Hold(), notFound }
}
