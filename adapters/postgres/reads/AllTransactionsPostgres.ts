import { Context, Effect, Layer } from "effect"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import type { PageTooDeep } from "../../../core/domain/OperatorErrors.ts"
import type { Page } from "../../../core/domain/Page.ts"
import { AllTransactions, type OwnedFilter, type SoughtSale } from "../../../core/ports/Transactions.ts"
import { cellClient } from "../connection/Cell.ts"
import { companyReads } from "../connection/CompanyReads.ts"
import { pageOfCounted, sliceOf } from "./CountedList.ts"
import { type CellPending, pendingOfCell, pendingSliceOf } from "./PendingSales.ts"
import { pageOfAllCompanies, pageOfDays } from "./SalesOfAllCompanies.ts"
import { pageOfSought } from "./SoughtSales.ts"
import { type KeyedRow, ownedOf, pageOf, saleList, salesHavingAnyOf, sublistOf } from "./TransactionsPostgres.ts"

/** How many of the newest sales are searched first for sales that pass a filter. */
const newest_max = 20_000

/** A page of a cell's sales. The total is null if the sales were not counted. */
interface SalePage {
  readonly rows: ReadonlyArray<KeyedRow>
  readonly total: number | null
}

/**
 * Reads the sales of one cell. Its methods are those of `AllTransactions`, but return rows, so that the rows of several
 * cells can be merged.
 *
 * @template E the error for a page that is too far from the newest sale.
 */
export interface SalesOfCell<E = never> {
  readonly list: (filter: OwnedFilter, page: Page) => Effect.Effect<SalePage, E>
  readonly find: (sought: SoughtSale, filter: OwnedFilter, page: Page) => Effect.Effect<SalePage, E>
  readonly pending: CellPending<E>
}

export class CellSales extends Context.Service<CellSales, SalesOfCell>()("saldo/adapters/CellSales") {}

const make = Effect.gen(function* () {
  const sql = yield* cellClient
  const reads = yield* companyReads

  const ofOneCompany = (companyId: CompanyId, filter: OwnedFilter, page: Page) => {
    const { from, services, statuses, terminalId, to } = filter
    const sublist = sublistOf(sql, { serviceId: services?.[0], terminalId })
    return pageOfCounted<KeyedRow>(
      sql,
      reads,
      saleList,
      { companyId, filter: { from, to }, also: salesHavingAnyOf(statuses), sublist },
      page
    )
  }

  /**
   * Reads the newest sales first. If the newest sales fill the page, older sales are neither read nor counted. Null if
   * older sales may belong to the page.
   */
  const ofNewest = Effect.fnUntraced(function* (filter: OwnedFilter, page: Page) {
    const reach = page.page * page.perPage
    const rows = yield* pageOfDays(sql, filter, page, Math.max(newest_max, 20 * reach))
    const { items, total } = sliceOf(rows)
    const isCut = rows[0]?.cut === true
    return isCut && total <= reach ? null : { rows: items, total: isCut ? null : total }
  })

  const list = Effect.fnUntraced(function* (filter: OwnedFilter, page: Page) {
    const { companyId, from, services, terminalId, to } = filter
    if (companyId !== undefined && (services === undefined || services.length === 1)) {
      const { items, total } = yield* ofOneCompany(companyId, filter, page)
      return { rows: items, total }
    }
    const hasDays = from !== undefined || to !== undefined
    const isFew = hasDays || services !== undefined || terminalId !== undefined
    const newest = isFew ? yield* ofNewest(filter, page) : null
    if (newest !== null) return newest
    const { items, total } = sliceOf<KeyedRow>(yield* (hasDays ? pageOfDays : pageOfAllCompanies)(sql, filter, page))
    return { rows: items, total }
  }, Effect.orDie)

  const find = Effect.fnUntraced(function* (sought: SoughtSale, filter: OwnedFilter, page: Page) {
    const { items, total } = sliceOf(yield* pageOfSought(sql, sought, filter, page))
    return { rows: items, total }
  }, Effect.orDie)

  return CellSales.of({ find, list, pending: pendingOfCell(sql) })
})

export const cellLayer = Layer.effect(CellSales, make)

const sliceOfRows = ({ rows, total }: SalePage) => ({ ...pageOf(rows, ownedOf), total })

/** The port `AllTransactions`, with the rows that the methods of `SalesOfCell` return. */
export const allTransactionsOf = <E extends PageTooDeep>({ find, list, pending }: SalesOfCell<E>) =>
  AllTransactions.of({
    list: (filter, page) => Effect.map(list(filter, page), sliceOfRows),
    find: (sought, filter, page) => Effect.map(find(sought, filter, page), sliceOfRows),
    pending: (...wanted) => Effect.map(pending(...wanted), pendingSliceOf)
  })

/** `AllTransactions` in Postgres, on one cell. */
export const layer = Layer.provide(Layer.effect(AllTransactions, Effect.map(CellSales, allTransactionsOf)), cellLayer)
