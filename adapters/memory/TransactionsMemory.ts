import { Effect, Layer, Option } from "effect"
import { isWithin } from "../../core/domain/LocalTime.ts"
import type { Transaction, TransactionFilter } from "../../core/domain/Transaction.ts"
import { Transactions } from "../../core/ports/Transactions.ts"
import { Books, type Sale } from "./Books.ts"

/** A sale as its readers see it. */
export const transactionOf = ({ delivery, order, processedAt, status, terminalId }: Sale): Transaction => ({
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
  processedAt
})

const passes = (filter: TransactionFilter, { key, order, status }: Sale): boolean =>
  isWithin(filter, order.createdAt) &&
  (filter.status === undefined || filter.status === status) &&
  (filter.identifier === undefined || filter.identifier === order.identifier) &&
  (filter.xid === undefined || filter.xid === order.xid) &&
  (filter.key === undefined || filter.key === key)

/** `Transactions` in memory. */
export const layer = Layer.effect(
  Transactions,
  Effect.map(Books, ({ of }) =>
    Transactions.of({
      find: (companyId, id) =>
        Effect.sync(() => Option.map(Option.fromUndefinedOr(of(companyId).sales.get(id)), transactionOf)),
      list: (companyId, filter, { page, perPage }) =>
        Effect.sync(() => {
          const found = [...of(companyId).sales.values()].filter((sale) => passes(filter, sale)).reverse()
          const skipped = (page - 1) * perPage
          return { items: found.slice(skipped, skipped + perPage).map(transactionOf), total: found.length }
        })
    })
  )
)
