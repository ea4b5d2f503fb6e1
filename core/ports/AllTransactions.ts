import { Context, type DateTime, type Effect } from "effect"
import type { CompanyId } from "../domain/Ids.ts"
import type { Centavos } from "../domain/Money.ts"
import type { Page, Slice } from "../domain/Page.ts"
import type { ReversalStatus } from "../domain/Reversal.ts"
import type { Status } from "../domain/Status.ts"
import type { Transaction } from "../domain/Transaction.ts"

/** A sale and whose it is. */
export interface OwnedTransaction {
  readonly companyId: CompanyId
  readonly transaction: Transaction
}

/** Every field narrows. */
export interface OwnedFilter {
  readonly companyId?: CompanyId | undefined
  readonly statuses?: ReadonlyArray<Status> | undefined
}

/** A sale of unknown outcome, or one that was delivered and whose reversal has none. */
export interface PendingTransaction extends OwnedTransaction {
  readonly reversal: {
    readonly xid: string
    readonly status: ReversalStatus
    readonly createdAt: DateTime.Utc
  } | null
}

/** Which doubts come first: the oldest, or the sales that hold the most; a reversal holds nothing. */
export type PendingOrder = "age" | "amount"

/** Some of the sales. */
export interface OwnedSlice<A> extends Slice<A> {
  /** Ids of those among them that this version cannot read: they count in the total, and are no items. */
  readonly unreadable: ReadonlyArray<number>
}

/** Some of what is unresolved, how much there is, how many of it are reversals, and what all the sales hold. */
export interface PendingSlice extends OwnedSlice<PendingTransaction> {
  readonly reversals: number
  readonly held: Centavos
}

/** The operator reads sales of all companies. */
export class AllTransactions extends Context.Service<
  AllTransactions,
  {
    /** Newest first. */
    readonly list: (filter: OwnedFilter, page: Page) => Effect.Effect<OwnedSlice<OwnedTransaction>>
    /** What nobody knows the outcome of, sales and reversals, of one company or of all. */
    readonly pending: (companyId: CompanyId | undefined, order: PendingOrder, page: Page) => Effect.Effect<PendingSlice>
  }
>()("saldo/core/AllTransactions") {}
