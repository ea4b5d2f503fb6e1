import { Effect, Layer, Option } from "effect"
import type { TransactionId } from "../../core/domain/Ids.ts"
import { isWithin } from "../../core/domain/LocalTime.ts"
import { frozenAt, isUpTo } from "../../core/domain/Page.ts"
import type { LatestReversal, Transaction, TransactionFilter } from "../../core/domain/Transaction.ts"
import { Transactions } from "../../core/ports/Transactions.ts"
import { Books, type CompanyBooks, type Sale } from "./Books.ts"

const latestReversalOf = ({ reversals }: CompanyBooks, id: TransactionId): LatestReversal | null => {
  const latest = [...reversals.values()].findLast(({ reversal }) => reversal.order.transactionId === id)
  return latest === undefined
    ? null
    : { status: latest.status, requestedAt: latest.reversal.createdAt, resolvedAt: latest.processedAt }
}

/** The transaction that queries return for a sale. */
export const transactionOf = (
  books: CompanyBooks,
  { delivery, order, processedAt, status, terminalId }: Sale
): Transaction => ({
  id: order.transactionId,
  xid: order.xid,
  status,
  service: order.service,
  identifier: order.identifier,
  amount: order.amount,
  authCode: delivery?.authCode ?? null,
  rechargeToken: delivery?.rechargeToken ?? null,
  terminalId,
  createdAt: order.createdAt,
  processedAt,
  reversal: latestReversalOf(books, order.transactionId)
})

const passes = (filter: TransactionFilter, { key, order, status, terminalId }: Sale): boolean =>
  isWithin(filter, order.createdAt) &&
  isUpTo(filter, order.transactionId) &&
  (filter.status === undefined || filter.status === status) &&
  (filter.identifier === undefined || filter.identifier === order.identifier) &&
  (filter.xid === undefined || filter.xid === order.xid) &&
  (filter.key === undefined || filter.key === key) &&
  (filter.serviceId === undefined || filter.serviceId === order.service.id) &&
  (filter.terminalId === undefined || filter.terminalId === terminalId)

export const layer = Layer.effect(
  Transactions,
  Effect.map(Books, ({ of }) =>
    Transactions.of({
      find: (companyId, id) =>
        Effect.sync(() => {
          const books = of(companyId)
          return Option.map(Option.fromUndefinedOr(books.sales.get(id)), (sale) => transactionOf(books, sale))
        }),
      list: (companyId, filter, { page, perPage }) =>
        Effect.sync(() => {
          const books = of(companyId)
          const found = [...books.sales.values()].filter((sale) => passes(filter, sale)).reverse()
          const skipped = (page - 1) * perPage
          const shown = found.slice(skipped, skipped + perPage)
          return {
            items: shown.map((sale) => ({ ...transactionOf(books, sale), key: sale.key })),
            total: found.length,
            upTo: frozenAt(filter, [...books.sales.keys()].at(-1) ?? 0)
          }
        })
    })
  )
)
