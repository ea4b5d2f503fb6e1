import { Context, type Effect } from "effect"
import type { CompanyId } from "../domain/Ids.ts"
import type { Centavos } from "../domain/Money.ts"
import type { Status } from "../domain/Status.ts"
import type { Page, Slice, Transaction } from "../domain/Transaction.ts"

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

/** Which unresolved sales come first: the oldest, or those that hold the most. */
export type PendingOrder = "age" | "amount"

/** Some of the unresolved sales, how many there are, and what all of them hold. */
export interface PendingSlice extends Slice<OwnedTransaction> {
  readonly held: Centavos
}

/** The operator reads sales of all companies. */
export class AllTransactions extends Context.Service<
  AllTransactions,
  {
    /** Newest first. */
    readonly list: (filter: OwnedFilter, page: Page) => Effect.Effect<Slice<OwnedTransaction>>
    /** What nobody knows the outcome of, of one company or of all. */
    readonly pending: (companyId: CompanyId | undefined, order: PendingOrder, page: Page) => Effect.Effect<PendingSlice>
  }
>()("saldo/core/AllTransactions") {}
