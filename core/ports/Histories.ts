import { Context, type Effect, type Option } from "effect"
import type { History } from "../domain/History.ts"
import type { TransactionId } from "../domain/Ids.ts"
import type { UnreadableTransaction } from "../domain/OperatorErrors.ts"

/** Reads everything stored about a sale of any company, for the operator. */
export class Histories extends Context.Service<
  Histories,
  { readonly find: (id: TransactionId) => Effect.Effect<Option.Option<History>, UnreadableTransaction> }
>()("saldo/core/Histories") {}
