import { DateTime, Effect, Option } from "effect"
import { type History, type Moment, timelineOf } from "../domain/History.ts"
import type { TransactionId } from "../domain/Ids.ts"
import { UnknownTransaction } from "../domain/OperatorErrors.ts"
import type { Proposal } from "../domain/Resolution.ts"
import { actionsOn } from "../domain/SaleActions.ts"
import { CurrentActor } from "../ports/CurrentActor.ts"
import { Histories } from "../ports/Histories.ts"
import { saleToResolve } from "./Resolve.ts"

/** A sale with its life so far, and what the current operator can do about it. */
export interface SaleShown {
  readonly history: History
  readonly timeline: ReadonlyArray<Moment>
  /** The latest proposal to settle the sale or a reversal, even if the proposal is confirmed. */
  readonly proposal: Proposal | null
  readonly actions: ReturnType<typeof actionsOn>
}

/** Reads a sale of any company with its timeline and the possible actions. */
export const showSale = Effect.fn("ShowSale.showSale")(function* (transactionId: TransactionId) {
  const histories = yield* Histories
  const found = yield* histories.find(transactionId)
  if (Option.isNone(found)) return yield* new UnknownTransaction({ transactionId })
  const history = found.value
  const toResolve = yield* saleToResolve(transactionId)
  const actions = actionsOn(toResolve, history.events, yield* CurrentActor, yield* DateTime.now)
  const shown: SaleShown = { history, timeline: timelineOf(history), proposal: toResolve.proposal, actions }
  return shown
})
