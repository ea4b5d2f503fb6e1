import { Effect, Layer, Option } from "effect"
import { Books } from "../../../adapters/memory/Books.ts"
import { unresolvedReversalOf } from "../../../adapters/memory/ReversalsMemory.ts"
import type { TransactionId } from "../../../core/domain/Ids.ts"
import { isSameConfirmation, type Proposal, type SaleToResolve } from "../../../core/domain/Resolution.ts"
import { isUnresolved } from "../../../core/domain/Status.ts"
import { Confirmed, Resolutions } from "../../../core/ports/Resolutions.ts"

/** The port for operators' proposals, in memory. */
export const layer = Layer.effect(
  Resolutions,
  Effect.map(Books, ({ all }) => {
    const proposals = new Map<TransactionId, Proposal>()
    const found = (id: TransactionId): Option.Option<SaleToResolve> => {
      for (const books of all()) {
        const sale = books.sales.get(id)
        if (sale === undefined) continue
        const { order, status } = sale
        const entry = [...books.reversals.values()].find(
          (each) => each.reversal.order.transactionId === id && isUnresolved(each)
        )
        const unresolved = entry === undefined ? null : unresolvedReversalOf(books, entry)
        return Option.some({ order, status, unresolved, proposal: proposals.get(id) ?? null })
      }
      return Option.none()
    }
    return Resolutions.of({
      find: (id) => Effect.sync(() => found(id)),
      propose: ({ transactionId }, proposal) =>
        Effect.sync(() => {
          const before = proposals.get(transactionId)
          if (before !== undefined && before.confirmation !== null && before.reversalId === proposal.reversalId)
            return null
          const number = (before?.number ?? 0) + 1
          proposals.set(transactionId, { ...proposal, number, confirmation: null })
          return number
        }),
      confirm: ({ transactionId }, proposal, confirmation) =>
        Effect.sync(() => {
          const known = proposals.get(transactionId)
          if (known?.number !== proposal.number) return Confirmed.Replaced()
          if (known.confirmation !== null && !isSameConfirmation(known.confirmation, proposal.confirmation))
            return Confirmed.AlreadyConfirmed({ confirmation: known.confirmation })
          proposals.set(transactionId, { ...proposal, confirmation })
          return Confirmed.Recorded()
        })
    })
  })
)
