import { Effect } from "effect"
import type { CompanyId } from "../domain/Ids.ts"
import type { Page } from "../domain/Page.ts"
import type { TransactionFilter } from "../domain/Transaction.ts"
import { xidOf } from "../domain/Xid.ts"
import { Transactions } from "../ports/Transactions.ts"

/** A page of a company's sales. A search by key uses the xid derived from the key. Contract: 4.7. */
export const listTransactions = Effect.fn("Lists.listTransactions")(function* (
  companyId: CompanyId,
  filter: TransactionFilter,
  page: Page
) {
  const transactions = yield* Transactions
  const { key, xid = key === undefined ? undefined : yield* xidOf(companyId, key) } = filter
  return yield* transactions.list(companyId, { ...filter, xid }, page)
})
