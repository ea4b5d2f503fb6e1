import { Context, type Effect, type Option } from "effect"
import type { CompanyId, TransactionId } from "../domain/Ids.ts"
import type { Page, Slice } from "../domain/Page.ts"
import type { Transaction, TransactionFilter } from "../domain/Transaction.ts"

/** Reads a company's sales. Contract: 4.7. */
export class Transactions extends Context.Service<
  Transactions,
  {
    readonly find: (companyId: CompanyId, id: TransactionId) => Effect.Effect<Option.Option<Transaction>>
    /** Newest first. */
    readonly list: (companyId: CompanyId, filter: TransactionFilter, page: Page) => Effect.Effect<Slice<Transaction>>
  }
>()("saldo/core/Transactions") {}
