import { DateTime, Effect } from "effect"
import type { Page } from "../domain/Page.ts"
import { actionsOn } from "../domain/SaleActions.ts"
import { CurrentActor } from "../ports/CurrentActor.ts"
import {
  AllTransactions,
  type PendingFilter,
  type PendingOrder,
  type PendingTransaction
} from "../ports/Transactions.ts"
import { saleToResolve } from "./Resolve.ts"

/** An unresolved sale or reversal, with what the current operator can do about it. */
export interface PendingShown extends PendingTransaction {
  /** Empty if the sale now has data that this version cannot read. */
  readonly actions: ReturnType<typeof actionsOn>
}

/** How many sales of a page are read at the same time. */
const reads_max = 4

/** Reads a page of the unresolved sales and reversals, each with the possible actions. */
export const showPending = Effect.fn("ShowPending.showPending")(function* (
  filter: PendingFilter,
  order: PendingOrder,
  page: Page
) {
  const now = yield* DateTime.now
  const actor = yield* CurrentActor
  const transactions = yield* AllTransactions
  const slice = yield* transactions.pending(filter, order, page, now)
  const actionsOf = ({ transaction }: PendingTransaction) =>
    saleToResolve(transaction.id).pipe(
      Effect.map((toResolve) => actionsOn(toResolve, [], actor, now)),
      Effect.catchTag(["UnknownTransaction", "UnreadableTransaction"], () => Effect.succeed([]))
    )
  const items = yield* Effect.forEach(
    slice.items,
    (pending) => Effect.map(actionsOf(pending), (actions): PendingShown => ({ ...pending, actions })),
    { concurrency: reads_max }
  )
  return { ...slice, items, now }
})
