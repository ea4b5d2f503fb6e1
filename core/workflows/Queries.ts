import { Effect, Option, Stream } from "effect"
import type { Company } from "../domain/Company.ts"
import { Forbidden, InvalidProduct, NotFound } from "../domain/Errors.ts"
import { xidOf } from "../domain/Idempotency.ts"
import type { CompanyId, ServiceId, TransactionId } from "../domain/Ids.ts"
import type { Page } from "../domain/Page.ts"
import { receiptOf } from "../domain/Receipt.ts"
import { Availability } from "../domain/Service.ts"
import type { TransactionFilter } from "../domain/Transaction.ts"
import { Catalogue } from "../ports/Catalogue.ts"
import { Transactions } from "../ports/Transactions.ts"

/** Converts a search by key to a search by xid, because the xid is derived from the key. Contract: 4.7. */
const withXid = Effect.fnUntraced(function* (companyId: CompanyId, filter: TransactionFilter) {
  const { key, xid = key === undefined ? undefined : yield* xidOf(companyId, key) } = filter
  return { ...filter, xid }
})

/** A page of a company's sales. Contract: 4.7. */
export const listTransactions = Effect.fn("Queries.listTransactions")(function* (
  companyId: CompanyId,
  filter: TransactionFilter,
  page: Page
) {
  const transactions = yield* Transactions
  return yield* transactions.list(companyId, yield* withXid(companyId, filter), page)
})

/** How many sales an export to a file reads with one query. */
const part = 1_000

/**
 * All sales of a company that match a filter, newest first. They are read in parts, and each part has lower ids than
 * the part before. So no sale appears twice, and no database connection is held while the client reads. Contract: 4.7.
 */
export const allTransactions = Effect.fn("Queries.allTransactions")(function* (
  companyId: CompanyId,
  filter: TransactionFilter
) {
  const transactions = yield* Transactions
  const sought = yield* withXid(companyId, filter)
  return Stream.paginate(filter.upTo, (upTo) =>
    Effect.map(transactions.list(companyId, { ...sought, upTo }, { page: 1, perPage: part }), ({ items }) => {
      const lowest = items.length < part ? undefined : items.at(-1)?.id
      return [items, Option.map(Option.fromUndefinedOr(lowest), (id) => id - 1)] as const
    })
  )
})

const available = Availability.$match({
  Available: ({ service }) => Effect.succeed(service),
  InsuranceNotEnabled: () => Effect.fail(new Forbidden({ why: "insurance" })),
  Unknown: () => Effect.fail(new InvalidProduct())
})

/** A service that the company may sell, or the error that says why not. Contract: 7. */
export const serviceOf = (company: Company, serviceId: ServiceId) =>
  Catalogue.use((catalogue) => Effect.flatMap(catalogue.find(company, serviceId), available))

/** The packages of a service that the company may sell. Empty for services without packages. Contract: 4.3. */
export const packagesOf = Effect.fn("Queries.packagesOf")(function* (company: Company, serviceId: ServiceId) {
  yield* Effect.mapError(serviceOf(company, serviceId), () => new NotFound())
  return yield* Catalogue.use((catalogue) => catalogue.packages(serviceId))
})

/** The receipt of a company's sale. Contract: 4.7. */
export const findReceipt = Effect.fn("Queries.receipt")(function* (company: Company, id: TransactionId) {
  const transactions = yield* Transactions
  const found = yield* transactions.find(company.id, id)
  const receipt = Option.flatMap(found, (transaction) => receiptOf(transaction, company))
  return yield* Effect.mapError(Effect.fromOption(receipt), () => new NotFound())
})
