import { Context, type DateTime, Effect, type Option } from "effect"
import type { History } from "../domain/History.ts"
import type { CompanyId, TransactionId } from "../domain/Ids.ts"
import type { UnreadableTransaction } from "../domain/OperatorErrors.ts"
import type { StatusAnswer } from "../domain/Recovery.ts"
import type { ReversalAnswer } from "../domain/Reversal.ts"
import type { Order } from "../domain/Sale.ts"

/** Reads everything stored about a sale of any company, for the operator. */
export class Histories extends Context.Service<
  Histories,
  { readonly find: (id: TransactionId) => Effect.Effect<Option.Option<History>, UnreadableTransaction> }
>()("saldo/core/Histories") {}

/** A status question of recovery and its answer. NotAsked means that the question could not be sent. */
export interface Question {
  readonly order: Order
  /** Whether the question was about the sale or about its reversal. */
  readonly about: "sale" | "reversal"
  readonly answer: StatusAnswer["_tag"] | Exclude<ReversalAnswer["_tag"], "NotSent">
  readonly at: DateTime.Utc
}

/** Stores each question of recovery, so that the history of the sale can show the question. No decision depends on it. */
export const Questions = Context.Reference<{ readonly record: (question: Question) => Effect.Effect<void> }>(
  "saldo/core/Questions",
  { defaultValue: () => ({ record: () => Effect.void }) }
)

/** A replay of a stored response. */
export interface Replay {
  readonly companyId: CompanyId
  readonly transactionId: TransactionId
  /** Whether the sale or its reversal got this response. */
  readonly about: "sale" | "reversal"
  readonly at: DateTime.Utc
}

/** Stores replays for the history of a sale. No decision depends on them. */
export const Replays = Context.Reference<{ readonly record: (replay: Replay) => Effect.Effect<void> }>(
  "saldo/core/Replays",
  { defaultValue: () => ({ record: () => Effect.void }) }
)
