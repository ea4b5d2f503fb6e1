import { Context, type DateTime, type Effect, type Option } from "effect"
import type { TransactionId } from "../domain/Ids.ts"
import type { UnreadableTransaction } from "../domain/OperatorErrors.ts"
import type { InDoubt, Proposal } from "../domain/Resolution.ts"
import type { Order } from "../domain/Sale.ts"

/** What operators propose for sales and reversals that no provider settles. Nothing in here moves money. */
export class Resolutions extends Context.Service<
  Resolutions,
  {
    readonly find: (id: TransactionId) => Effect.Effect<Option.Option<InDoubt>, UnreadableTransaction>
    /**
     * Takes the place of an earlier proposal, and answers its number; null if that was confirmed and speaks of the same
     * sale or reversal: nothing is kept.
     */
    readonly propose: (order: Order, proposal: Omit<Proposal, "confirmedBy" | "number">) => Effect.Effect<number | null>
    /** Notes who confirmed a proposal; false when it is no longer the one that was read. */
    readonly confirm: (
      order: Order,
      proposal: Proposal,
      by: { readonly operator: string; readonly at: DateTime.Utc }
    ) => Effect.Effect<boolean>
  }
>()("saldo/core/Resolutions") {}
