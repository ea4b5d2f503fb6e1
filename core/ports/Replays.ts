import { Context, type DateTime, Effect } from "effect"
import type { CompanyId, TransactionId } from "../domain/Ids.ts"

/** A replay of a stored response. */
export interface Replay {
  readonly companyId: CompanyId
  readonly transactionId: TransactionId
  /** Whether the response is that of the sale or of its reversal. */
  readonly about: "sale" | "reversal"
  readonly at: DateTime.Utc
}

/** Stores replays for the history of a sale. No decision depends on them. */
export const Replays = Context.Reference<{ readonly record: (replay: Replay) => Effect.Effect<void> }>(
  "saldo/core/Replays",
  { defaultValue: () => ({ record: () => Effect.void }) }
)
