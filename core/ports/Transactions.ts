import { Context, type DateTime, type Effect, type Option } from "effect"
import type { CompanyId, TransactionId } from "../domain/Ids.ts"
import type { Centavos } from "../domain/Money.ts"
import type { FrozenSlice, Page, Slice } from "../domain/Page.ts"
import type { ReversalStatus, Status } from "../domain/Status.ts"
import type { KeyedTransaction, Transaction, TransactionFilter } from "../domain/Transaction.ts"

/** A sale and its company. */
export interface OwnedTransaction {
  readonly companyId: CompanyId
  readonly transaction: Transaction
}

/** All given fields must match. */
export interface OwnedFilter {
  readonly companyId?: CompanyId | undefined
  readonly statuses?: ReadonlyArray<Status> | undefined
}

/** A sale with an unknown outcome, or with a reversal of unknown outcome. */
export interface PendingTransaction extends OwnedTransaction {
  readonly reversal: {
    readonly xid: string
    readonly status: ReversalStatus
    readonly createdAt: DateTime.Utc
  } | null
}

/** Sort order of unresolved operations: oldest first, or largest held amount first. Reversals hold nothing. */
export type PendingOrder = "age" | "amount"

/** A page of sales. */
export interface OwnedSlice<A> extends Slice<A> {
  /** Ids of sales on this page that this version cannot read. The total includes them, but `items` does not. */
  readonly unreadable: ReadonlyArray<number>
}

/**
 * A page of unresolved operations, with totals over all of them: the number of reversals, and the centavos that sales
 * hold.
 */
export interface PendingSlice extends OwnedSlice<PendingTransaction> {
  readonly reversals: number
  readonly held: Centavos
}

/** Reads the sales of all companies, for the operator. */
export class AllTransactions extends Context.Service<
  AllTransactions,
  {
    /** Newest first. */
    readonly list: (filter: OwnedFilter, page: Page) => Effect.Effect<OwnedSlice<OwnedTransaction>>
    /** Sales and reversals with unknown outcome, of one company or of all. */
    readonly pending: (companyId: CompanyId | undefined, order: PendingOrder, page: Page) => Effect.Effect<PendingSlice>
  }
>()("saldo/core/AllTransactions") {}

/** Reads a company's sales. Contract: 4.7. */
export class Transactions extends Context.Service<
  Transactions,
  {
    readonly find: (companyId: CompanyId, id: TransactionId) => Effect.Effect<Option.Option<Transaction>>
    /** Newest first. */
    readonly list: (
      companyId: CompanyId,
      filter: TransactionFilter,
      page: Page
    ) => Effect.Effect<FrozenSlice<KeyedTransaction>>
  }
>()("saldo/core/Transactions") {}
