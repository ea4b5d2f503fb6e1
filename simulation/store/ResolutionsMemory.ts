import { Effect, Layer, Option } from "effect"
import { Books, type Sale } from "../../adapters/memory/Books.ts"
import type { TransactionId } from "../../core/domain/Ids.ts"
import type { Proposal } from "../../core/domain/Resolution.ts"
import { Resolutions } from "../../core/ports/Resolutions.ts"

/** Proposals of operators, in memory. */
export const layer = Layer.effect(
  Resolutions,
  Effect.map(Books, ({ all }) => {
    const proposals = new Map<TransactionId, Proposal>()
    const saleOf = (id: TransactionId): Sale | undefined => {
      for (const { sales } of all()) if (sales.has(id)) return sales.get(id)
      return undefined
    }
    return Resolutions.of({
      find: (id) =>
        Effect.sync(() =>
          Option.map(Option.fromUndefinedOr(saleOf(id)), ({ order, status }) => ({
            order,
            status,
            proposal: proposals.get(id) ?? null
          }))
        ),
      propose: ({ transactionId }, proposal) =>
        Effect.sync(() => {
          const before = proposals.get(transactionId)
          if (before !== undefined && before.confirmedBy !== null) return null
          const number = (before?.number ?? 0) + 1
          proposals.set(transactionId, { ...proposal, number, confirmedBy: null })
          return number
        }),
      confirm: ({ transactionId }, proposal, { operator }) =>
        Effect.sync(() => {
          if (proposals.get(transactionId) !== proposal) return false
          proposals.set(transactionId, { ...proposal, confirmedBy: operator })
          return true
        })
    })
  })
)
