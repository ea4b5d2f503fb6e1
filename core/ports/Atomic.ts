import { Context, type Effect } from "effect"

/** Makes several writes one: all of them are kept, or none. */
export class Atomic extends Context.Service<
  Atomic,
  { readonly transact: <A, E, R>(writes: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> }
>()("saldo/core/Atomic") {}
