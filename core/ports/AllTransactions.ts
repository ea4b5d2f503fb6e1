import { Context, type Effect, type Option } from "effect"
import type { CompanyId, TransactionId } from "../domain/Ids.ts"
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

/** The operator reads sales of all companies. */
export class AllTransactions extends Context.Service<
  AllTransactions,
  {
    readonly find: (id: TransactionId) => Effect.Effect<Option.Option<OwnedTransaction>>
    /** Newest first. */
    readonly list: (filter: OwnedFilter, page: Page) => Effect.Effect<Slice<OwnedTransaction>>
  }
>()("saldo/core/AllTransactions") {}
