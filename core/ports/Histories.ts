import { Context, type Effect, type Option } from "effect"
import type { History } from "../domain/History.ts"
import type { TransactionId } from "../domain/Ids.ts"

/** Tells the operator all that was kept of a sale, whichever company's it is. */
export class Histories extends Context.Service<
  Histories,
  { readonly find: (id: TransactionId) => Effect.Effect<Option.Option<History>> }
>()("saldo/core/Histories") {}
