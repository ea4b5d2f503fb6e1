import { Effect, Option } from "effect"
import type { Company } from "../domain/Company.ts"
import { NotFound } from "../domain/Errors.ts"
import { xidOf } from "../domain/Idempotency.ts"
import type { CompanyId, ServiceId, TransactionId } from "../domain/Ids.ts"
import type { Page } from "../domain/Page.ts"
import { receiptOf } from "../domain/Receipt.ts"
import type { TransactionFilter } from "../domain/Transaction.ts"
import { Catalogue } from "../ports/Catalogue.ts"
import { Transactions } from "../ports/Transactions.ts"

/** A page of a company's sales. A search by key uses the xid derived from the key. Contract: 4.7. */
export const listTransactions = Effect.fn("Queries.listTransactions")(function* (
  companyId: CompanyId,
  filter: TransactionFilter,
  page: Page
) {
  const transactions = yield* Transactions
  const { key, xid = key === undefined ? undefined : yield* xidOf(companyId, key) } = filter
  return yield* transactions.list(companyId, { ...filter, xid }, page)
})

/** The packages of a service that the company may sell. Empty for services without packages. Contract: 4.3. */
export const packagesOf = Effect.fn("Queries.packagesOf")(function* (company: Company, serviceId: ServiceId) {
  const catalogue = yield* Catalogue
  const found = yield* catalogue.find(company, serviceId)
  if (found._tag !== "Available") return yield* new NotFound()
  return yield* catalogue.packages(serviceId)
})

/** The receipt of a company's sale. Contract: 4.7. */
export const findReceipt = Effect.fn("Queries.receipt")(function* (company: Company, id: TransactionId) {
  const transactions = yield* Transactions
  const found = yield* transactions.find(company.id, id)
  const receipt = Option.flatMap(found, (transaction) => receiptOf(transaction, company))
  return yield* Effect.mapError(Effect.fromOption(receipt), () => new NotFound())
})
