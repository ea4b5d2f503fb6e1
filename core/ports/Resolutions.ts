import { Context, Data, type Effect, type Option } from "effect"
import type { TransactionId } from "../domain/Ids.ts"
import type { Confirmation, UnreadableTransaction } from "../domain/OperatorErrors.ts"
import type { Proposal, SaleToResolve } from "../domain/Resolution.ts"
import type { Order } from "../domain/Sale.ts"

/** The result of a confirmation. */
export type Confirmed = Data.TaggedEnum<{
  /** The confirmation was recorded. */
  Recorded: {}
  /** Another operator has confirmed the proposal since it was read. Nothing was recorded. */
  AlreadyConfirmed: { readonly confirmation: Confirmation }
  /** Another proposal has replaced this one. Nothing was recorded. */
  Replaced: {}
}>
export const Confirmed = Data.taggedEnum<Confirmed>()

/** Operators' proposals for sales and reversals that no provider settles. Moves no money. */
export class Resolutions extends Context.Service<
  Resolutions,
  {
    readonly find: (id: TransactionId) => Effect.Effect<Option.Option<SaleToResolve>, UnreadableTransaction>
    /**
     * Stores a proposal in place of an earlier proposal and returns its number. Returns null, and stores nothing, if
     * the earlier proposal is confirmed and about the same sale or reversal.
     */
    readonly propose: (
      order: Order,
      proposal: Omit<Proposal, "confirmation" | "number">
    ) => Effect.Effect<number | null>
    /**
     * Records the confirmation of a proposal. It replaces the earlier confirmation that `proposal` contains, if there
     * is one. Of concurrent calls exactly one is recorded.
     */
    readonly confirm: (order: Order, proposal: Proposal, confirmation: Confirmation) => Effect.Effect<Confirmed>
  }
>()("saldo/core/Resolutions") {}
