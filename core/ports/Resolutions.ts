import { Context, type DateTime, type Effect, type Option } from "effect"
import type { TransactionId } from "../domain/Ids.ts"
import type { UnreadableTransaction } from "../domain/OperatorErrors.ts"
import type { InDoubt, Proposal } from "../domain/Resolution.ts"
import type { Order } from "../domain/Sale.ts"

/** Operators' proposals for sales and reversals that no provider settles. Moves no money. */
export class Resolutions extends Context.Service<
  Resolutions,
  {
    readonly find: (id: TransactionId) => Effect.Effect<Option.Option<InDoubt>, UnreadableTransaction>
    /**
     * Stores a proposal in place of an earlier one and returns its number. Returns null, and stores nothing, when the
     * earlier one is confirmed and is about the same sale or reversal.
     */
    readonly propose: (order: Order, proposal: Omit<Proposal, "confirmedBy" | "number">) => Effect.Effect<number | null>
    /** Records who confirmed a proposal. Returns false when another proposal has replaced it. */
    readonly confirm: (
      order: Order,
      proposal: Proposal,
      by: { readonly operator: string; readonly at: DateTime.Utc }
    ) => Effect.Effect<boolean>
  }
>()("saldo/core/Resolutions") {}
