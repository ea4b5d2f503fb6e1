import { DateTime, Effect, Layer } from "effect"
import { owned, restore } from "../../core/domain/Balance.ts"
import { type Adjustment, Adjustments } from "../../core/ports/Adjustments.ts"
import { Books, type CompanyBooks, post } from "./Books.ts"

const adjustIn = (books: CompanyBooks, { at, goal, reference, since }: Adjustment, nextEntryId: () => number) => {
  if (books.adjustments.has(reference)) return null
  books.adjustments.add(reference)
  const [first] = books.entries
  if (first === undefined || DateTime.isGreaterThanOrEqualTo(first.createdAt, since)) return 0
  const before = books.purse.balance
  const balance = restore(before, goal)
  const moved = owned(balance) - owned(before)
  if (moved === 0) return 0
  post(books, balance, { id: nextEntryId(), type: "adjustment", amount: moved, reference }, at)
  return moved
}

/** `Adjustments` in memory. */
export const layer = Layer.effect(
  Adjustments,
  Effect.map(Books, ({ nextEntryId, of }) =>
    Adjustments.of({
      adjust: (adjustment) => Effect.sync(() => adjustIn(of(adjustment.companyId), adjustment, nextEntryId))
    })
  )
)
