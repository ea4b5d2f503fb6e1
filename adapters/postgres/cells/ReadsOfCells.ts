import { Effect, Layer, Order, Stream } from "effect"
import { Centavos } from "../../../core/domain/Money.ts"
import type { PageTooDeep } from "../../../core/domain/OperatorErrors.ts"
import type { Page } from "../../../core/domain/Page.ts"
import { AllInsurances, type InsuranceFilter } from "../../../core/ports/AllInsurances.ts"
import { Histories } from "../../../core/ports/Histories.ts"
import { Statement } from "../../../core/ports/Statement.ts"
import { AllTransactions, type PendingBand, type PendingOrder, Transactions } from "../../../core/ports/Transactions.ts"
import * as AllInsurancesPostgres from "../reads/AllInsurancesPostgres.ts"
import * as AllTransactionsPostgres from "../reads/AllTransactionsPostgres.ts"
import * as HistoriesPostgres from "../reads/HistoriesPostgres.ts"
import type { PendingRow } from "../reads/PendingSales.ts"
import * as StatementPostgres from "../reads/StatementPostgres.ts"
import * as TransactionsPostgres from "../reads/TransactionsPostgres.ts"
import { type PerCell, perCell } from "./Cells.ts"
import { findIn } from "./CellWork.ts"
import { mergedPage, newestFirst } from "./MergedPages.ts"

const transactions = Effect.map(perCell(Transactions, TransactionsPostgres.layer), ({ of }) =>
  Transactions.of({
    find: (companyId, id) => Effect.flatMap(of(companyId), (cell) => cell.find(companyId, id)),
    list: (companyId, filter, page) => Effect.flatMap(of(companyId), (cell) => cell.list(companyId, filter, page))
  })
)

const statement = Effect.map(perCell(Statement, StatementPostgres.layer), ({ of }) =>
  Statement.of({
    page: (companyId, filter, page) => Effect.flatMap(of(companyId), (cell) => cell.page(companyId, filter, page)),
    all: (companyId, filter) => Stream.unwrap(Effect.map(of(companyId), (cell) => cell.all(companyId, filter)))
  })
)

const histories = Effect.map(perCell(Histories, HistoriesPostgres.layer), ({ parts }) =>
  Histories.of({ find: (id) => findIn(parts, (cell) => cell.find(id)) })
)

/** The cells with rows of the filter: the company's cell, or all. */
const cellsOf = <Service>({ all, of }: PerCell<Service>, { companyId }: Pick<InsuranceFilter, "companyId">) =>
  companyId === undefined ? all : Effect.map(of(companyId), (cell) => [cell])

/** The sum of the totals. Null if a cell has not counted its rows. */
const totalOf = (parts: ReadonlyArray<{ readonly total: number | null }>): number | null =>
  parts.reduce<number | null>((sum, { total }) => (sum === null || total === null ? null : sum + total), 0)

const byAge: Order.Order<PendingRow> = Order.combineAll<PendingRow>([
  Order.mapInput(Order.Date, (row) => row.doubted_at),
  Order.mapInput(Order.BigInt, (row) => row.company_id),
  Order.mapInput(Order.BigInt, (row) => row.id)
])

const pendingOrders: Readonly<Record<PendingOrder, Order.Order<PendingRow>>> = {
  age: byAge,
  amount: Order.combine(Order.flip(Order.mapInput(Order.BigInt, (row: PendingRow) => row.holds)), byAge)
}

const bandOrder: Order.Order<PendingBand> = Order.combineAll<PendingBand>([
  Order.mapInput(Order.String, (band) => band.environment),
  Order.mapInput(Order.String, (band) => band.supplier),
  Order.mapInput(Order.Number, (band) => band.from_s)
])

/** The totals by age and supplier of several cells, added up. */
const summedBands = (bands: ReadonlyArray<PendingBand>): ReadonlyArray<PendingBand> => {
  const sums: Array<PendingBand> = []
  for (const band of [...bands].sort(bandOrder)) {
    const last = sums.at(-1)
    if (last === undefined || bandOrder(last, band) !== 0) {
      sums.push(band)
    } else {
      const held = Centavos.make(last.held + band.held)
      sums.splice(-1, 1, { ...last, sales: last.sales + band.sales, reversals: last.reversals + band.reversals, held })
    }
  }
  return sums
}

const allTransactions = Effect.map(
  perCell(AllTransactionsPostgres.CellSales, AllTransactionsPostgres.cellLayer),
  (cells) =>
    AllTransactionsPostgres.allTransactionsOf<PageTooDeep>({
      list: Effect.fnUntraced(function* (filter, page) {
        const { parts, rows } = yield* mergedPage(yield* cellsOf(cells, filter), page, newestFirst, (cell, page) =>
          cell.list(filter, page)
        )
        return { rows, total: totalOf(parts) }
      }),
      find: Effect.fnUntraced(function* (sought, filter, page) {
        const { parts, rows } = yield* mergedPage(yield* cellsOf(cells, filter), page, newestFirst, (cell, page) =>
          cell.find(sought, filter, page)
        )
        return { rows, total: totalOf(parts) }
      }),
      pending: Effect.fnUntraced(function* (filter, order, page, now) {
        const { parts, rows } = yield* mergedPage(
          yield* cellsOf(cells, filter),
          page,
          pendingOrders[order],
          (cell, page) => cell.pending(filter, order, page, now)
        )
        return { rows, bands: summedBands(parts.flatMap(({ bands }) => bands)) }
      })
    })
)

const allInsurances = Effect.flatMap(
  perCell(AllInsurancesPostgres.CellInsurances, AllInsurancesPostgres.cellLayer),
  (cells) =>
    AllInsurancesPostgres.allInsurancesOf(
      Effect.fnUntraced(function* (filter: InsuranceFilter, page: Page) {
        const { parts, rows } = yield* mergedPage(yield* cellsOf(cells, filter), page, newestFirst, (cell, page) =>
          cell.read(filter, page)
        )
        return { rows, counts: parts.flatMap(({ counts }) => counts) }
      })
    )
)

/** A company's sales and ledger, over all cells. */
export const companyLayer = Layer.mergeAll(Layer.effect(Transactions, transactions), Layer.effect(Statement, statement))

/** The operator's lists, over all cells. */
export const operatorLayer = Layer.mergeAll(
  Layer.effect(AllTransactions, allTransactions),
  Layer.effect(AllInsurances, allInsurances),
  Layer.effect(Histories, histories)
)
