import { Context, type DateTime, Effect } from "effect"
import type { StatusAnswer } from "../domain/Recovery.ts"
import type { ReversalAnswer } from "../domain/Reversal.ts"
import type { Order } from "../domain/Sale.ts"

/** A status question of recovery and its answer, or the fact that it could not be sent. */
export interface Question {
  readonly order: Order
  /** Whether the question was about the sale or about its reversal. */
  readonly about: "sale" | "reversal"
  readonly answer: StatusAnswer["_tag"] | Exclude<ReversalAnswer["_tag"], "NotSent">
  readonly at: DateTime.Utc
}

/** Stores recovery's questions for the history of a sale. No decision depends on them. */
export const Questions = Context.Reference<{ readonly record: (question: Question) => Effect.Effect<void> }>(
  "saldo/core/Questions",
  { defaultValue: () => ({ record: () => Effect.void }) }
)
