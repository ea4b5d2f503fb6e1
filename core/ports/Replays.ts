import { Context, type DateTime, Effect } from "effect"
import type { CompanyId, TransactionId } from "../domain/Ids.ts"

/** The answer of an earlier call was heard again, by whoever brought its key again. */
export interface Replay {
  readonly companyId: CompanyId
  readonly transactionId: TransactionId
  /** Whose answer it was: the sale's, or that of its reversal. */
  readonly about: "sale" | "reversal"
  readonly at: DateTime.Utc
}

/** Remembers what was heard again, for whoever wants to know later what a caller did. Nothing is decided by it. */
export const Replays = Context.Reference<{ readonly record: (replay: Replay) => Effect.Effect<void> }>(
  "saldo/core/Replays",
  { defaultValue: () => ({ record: () => Effect.void }) }
)
