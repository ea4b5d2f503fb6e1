import { Effect, Layer, Option } from "effect"
import { Books } from "../../../adapters/memory/Books.ts"
import { underOf } from "../../../adapters/memory/ReversalsMemory.ts"
import type { TransactionId } from "../../../core/domain/Ids.ts"
import type { InDoubt, Proposal } from "../../../core/domain/Resolution.ts"
import { isUnresolved } from "../../../core/domain/Status.ts"
import { Resolutions } from "../../../core/ports/Resolutions.ts"

/** The port for operators' proposals, in memory. */
export const layer = Layer.effect(
  Resolutions,
  Effect.map(Books, ({ all }) => {
    const proposals = new Map<TransactionId, Proposal>()
    const found = (id: TransactionId): Option.Option<InDoubt> => {
      for (const books of all()) {
        const sale = books.sales.get(id)
        if (sale === undefined) continue
        const { order, status } = sale
        const doubt = [...books.reversals.values()].find(
          (entry) => entry.reversal.order.transactionId === id && isUnresolved(entry)
        )
        const under = doubt === undefined ? null : underOf(books, doubt)
        return Option.some({ order, status, under, proposal: proposals.get(id) ?? null })
      }
      return Option.none()
    }
    return Resolutions.of({
      find: (id) => Effect.sync(() => found(id)),
      propose: ({ transactionId }, proposal) =>
        Effect.sync(() => {
          const before = proposals.get(transactionId)
          if (before !== undefined && before.confirmedBy !== null && before.reversalId === proposal.reversalId)
            return null
          const number = (before?.number ?? 0) + 1
          proposals.set(transactionId, { ...proposal, number, confirmedBy: null })
          return number
        }),
      confirm: ({ transactionId }, proposal, { operator }) =>
        Effect.sync(() => {
          if (proposals.get(transactionId)?.number !== proposal.number) return false
          proposals.set(transactionId, { ...proposal, confirmedBy: operator })
          return true
        })
    })
  })
)
