import { Context, type DateTime, Effect } from "effect"
import type { StatusAnswer } from "../domain/Recovery.ts"
import type { ReversalAnswer } from "../domain/Reversal.ts"
import type { Order } from "../domain/Sale.ts"

/** What recovery asked a supplier about a sale, and was told; or that nobody took the question. */
export interface Question {
  readonly order: Order
  /** What was asked about: the sale itself, or its reversal. */
  readonly about: "sale" | "reversal"
  readonly answer: StatusAnswer["_tag"] | Exclude<ReversalAnswer["_tag"], "NotSent">
  readonly at: DateTime.Utc
}

/** Remembers what recovery asked, for whoever wants to know later how a sale ended. Nothing is decided by it. */
export const Questions = Context.Reference<{ readonly record: (question: Question) => Effect.Effect<void> }>(
  "saldo/core/Questions",
  { defaultValue: () => ({ record: () => Effect.void }) }
)
