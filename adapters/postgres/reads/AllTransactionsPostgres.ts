import { Effect, Layer } from "effect"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import type { Page } from "../../../core/domain/Page.ts"
import { AllTransactions, type OwnedFilter, type SoughtSale } from "../../../core/ports/Transactions.ts"
import { cellClient } from "../connection/Cell.ts"
import { companyReads } from "../connection/CompanyReads.ts"
import { pageOfCounted, sliceOf } from "./CountedList.ts"
import { pendingSales } from "./PendingSales.ts"
import { pageOfAllCompanies, pageOfDays, pageOfSought } from "./SalesOfAllCompanies.ts"
import { type KeyedRow, ownedOf, pageOf, saleList, salesHavingAnyOf, sublistOf } from "./TransactionsPostgres.ts"

/** How many of the newest sales are read first, in search of the sales that pass a filter. */
const newest_max = 20_000

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
   * Reads the newest sales first. If they fill the page, the others are neither read nor counted. Null if older sales
   * may belong to the page.
   */
  const ofNewest = Effect.fnUntraced(function* (filter: OwnedFilter, page: Page) {
    const reach = page.page * page.perPage
    const rows = yield* pageOfDays(sql, filter, page, Math.max(newest_max, 20 * reach))
    const { items, total } = sliceOf(rows)
    const isCut = rows[0]?.cut === true
    return isCut && total <= reach ? null : { ...pageOf(items, ownedOf), total: isCut ? null : total }
  })

  const list = Effect.fnUntraced(function* (filter: OwnedFilter, page: Page) {
    const { companyId, from, services, terminalId, to } = filter
    if (companyId !== undefined && (services === undefined || services.length === 1)) {
      const { items, total } = yield* ofOneCompany(companyId, filter, page)
      return { ...pageOf(items, ownedOf), total }
    }
    const hasDays = from !== undefined || to !== undefined
    const isFew = hasDays || services !== undefined || terminalId !== undefined
    const newest = isFew ? yield* ofNewest(filter, page) : null
    if (newest !== null) return newest
    const { items, total } = sliceOf<KeyedRow>(yield* (hasDays ? pageOfDays : pageOfAllCompanies)(sql, filter, page))
    return { ...pageOf(items, ownedOf), total }
  }, Effect.orDie)

  const find = Effect.fnUntraced(function* (sought: SoughtSale, filter: OwnedFilter, page: Page) {
    const { items, total } = sliceOf(yield* pageOfSought(sql, sought, filter, page))
    return { ...pageOf(items, ownedOf), total }
  }, Effect.orDie)

  return AllTransactions.of({ find, list, pending: pendingSales(sql) })
})

/** `AllTransactions` in Postgres. */
export const layer = Layer.effect(AllTransactions, make)
