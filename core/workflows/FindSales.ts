import { DateTime, Effect, Option, Stream } from "effect"
import { reversalXidOf, xidOf } from "../domain/Idempotency.ts"
import { type CompanyId, type IdempotencyKey, type ServiceId, type TerminalId, TransactionId } from "../domain/Ids.ts"
import { type DayRange, dayOf, daysBefore, daysIn } from "../domain/LocalTime.ts"
import { TooManyDays, UnknownSale } from "../domain/OperatorErrors.ts"
import type { Page } from "../domain/Page.ts"
import { readSought, type Sought, type SoughtBy } from "../domain/SaleSearch.ts"
import type { ServiceType } from "../domain/Service.ts"
import type { Status } from "../domain/Status.ts"
import { CatalogueAdmin } from "../ports/Catalogue.ts"
import { CellFilter } from "../ports/CellFilter.ts"
import { Companies } from "../ports/Companies.ts"
import { AllTransactions, type OwnedFilter, type OwnedSlice, type OwnedTransaction } from "../ports/Transactions.ts"
import { companyOf } from "./ManageCompany.ts"
import { allTransactions } from "./Queries.ts"

/** A search among the sales of all companies. All given fields must match. */
export interface SaleQuery extends DayRange {
  readonly search?: { readonly by: SoughtBy; readonly text: string } | undefined
  readonly companyId?: CompanyId | undefined
  readonly status?: Status | undefined
  readonly serviceId?: ServiceId | undefined
  /** Sales of the services that have this type now. */
  readonly type?: ServiceType | undefined
  readonly terminalId?: TerminalId | undefined
}

/** Maximum number of days of a list without a company and without a search. Such a list reads every sale of these days. */
export const listedDays_max = 31

const servicesOf = Effect.fnUntraced(function* ({ serviceId, type }: SaleQuery) {
  if (type === undefined) return serviceId === undefined ? undefined : [serviceId]
  const catalogue = yield* CatalogueAdmin
  const { services } = yield* catalogue.list(null)
  const ofType = services.flatMap(({ service }) => (service.type === type ? [service.id] : []))
  return serviceId === undefined ? ofType : ofType.filter((id) => id === serviceId)
})

/** The days of a list. A missing end means today. A missing beginning means the earliest day that the limit allows. */
const daysOf = Effect.fnUntraced(function* ({ companyId, from, search, to }: SaleQuery) {
  const isUnlimited = companyId !== undefined || search !== undefined || (from === undefined && to === undefined)
  if (isUnlimited) return { from, to }
  const last = to ?? dayOf(yield* DateTime.now)
  const first = from ?? daysBefore(last, listedDays_max - 1)
  if (daysIn({ from: first, to: last }) > listedDays_max) return yield* new TooManyDays({ days_max: listedDays_max })
  return { from: first, to: last }
})

const filterOf = Effect.fnUntraced(function* (query: SaleQuery) {
  const { companyId, status, terminalId } = query
  const statuses = status === undefined ? undefined : [status]
  const filter: OwnedFilter = { companyId, statuses, terminalId, services: yield* servicesOf(query) }
  return { ...filter, ...(yield* daysOf(query)) }
})

/** The xids that are derived from a key for each company: the xid of a sale, and the xid of a reversal. */
const derivedXids = Effect.fnUntraced(function* (key: IdempotencyKey | undefined, companyId: CompanyId | undefined) {
  if (key === undefined) return []
  const companies = yield* Companies
  const ids = companyId === undefined ? (yield* companies.list).map(({ id }) => id) : [companyId]
  return yield* Effect.forEach(ids, (id) =>
    Effect.map(Effect.all([xidOf(id, key), reversalXidOf(id, key)]), (xids) => ({ companyId: id, xids }))
  )
})

const findBy = Effect.fnUntraced(function* (sought: Sought, filter: OwnedFilter, page: Page) {
  const transactions = yield* AllTransactions
  const derived = yield* derivedXids(sought.key, filter.companyId)
  return yield* transactions.find({ ...sought, derived }, filter, page)
})

const nothing: OwnedSlice<OwnedTransaction> = { items: [], unreadable: [], total: 0 }

/** The sales of all companies, or of one, that match a query, newest first. */
export const findSales = Effect.fn("FindSales.findSales")(function* (query: SaleQuery, page: Page) {
  const { companyId, search } = query
  if (companyId !== undefined) yield* companyOf(companyId)
  const filter = yield* filterOf(query)
  if (filter.services?.length === 0) return nothing
  if (search === undefined) return yield* AllTransactions.use((transactions) => transactions.list(filter, page))
  const sought = readSought(search.by, search.text)
  return Option.isNone(sought) ? nothing : yield* findBy(sought.value, filter, page)
})

/**
 * The id of the sale that a text names by its id or its xid. A sale with this id need not exist. If several failed sales
 * have the xid, the id of the newest sale.
 */
export const saleIdOf = Effect.fn("FindSales.saleIdOf")(function* (text: string) {
  const sought = Option.getOrUndefined(readSought("text", text))
  if (sought?.id !== undefined) return sought.id
  const { items, unreadable } = yield* findBy({ xids: sought?.xids }, {}, { page: 1, perPage: 1 })
  const id = items[0]?.transaction.id ?? unreadable[0]
  return id === undefined ? yield* new UnknownSale({ text }) : TransactionId.make(id)
})

/** How many sales the export of a search reads with one query. */
const part = 1_000

/** All sales that a search finds. They are few enough to be kept in memory. */
const everyFound = (query: SaleQuery) =>
  Stream.runCollect(
    Stream.paginate(1, (page) =>
      Effect.map(findSales(query, { page, perPage: part }), ({ items, unreadable }) => {
        const next = items.length + unreadable.length < part ? Option.none<number>() : Option.some(page + 1)
        return [items, next] as const
      })
    )
  )

/**
 * All sales that match a query. The sales that a search finds are newest first. Without a search, the list goes company
 * by company, and the sales of each company are newest first. The sales are read in parts, so no database connection is
 * held while a file is written.
 */
export const exportSales = Effect.fn("FindSales.exportSales")(function* (query: SaleQuery) {
  const { companyId, from, search, status, terminalId, to } = query
  if (search !== undefined) return Stream.fromIterable(yield* everyFound(query))
  if (companyId !== undefined) yield* companyOf(companyId)
  const services = (yield* servicesOf(query)) ?? [undefined]
  const companies = yield* Companies
  const only = yield* CellFilter
  const listed = (yield* companies.list).filter(({ cell }) => only === null || cell === only)
  const ids = companyId === undefined ? listed.map(({ id }) => id) : [companyId]
  const lists = ids.flatMap((id) => services.map((serviceId) => ({ id, serviceId })))
  return Stream.flatMap(Stream.fromIterable(lists), ({ id, serviceId }) =>
    Stream.unwrap(allTransactions(id, { from, to, status, terminalId, serviceId })).pipe(
      Stream.map((transaction): OwnedTransaction => ({ companyId: id, transaction }))
    )
  )
})
