import { Context, type Effect } from "effect"

/** Runs several writes in one database transaction: all writes are committed, or none. */
export class Atomic extends Context.Service<
  Atomic,
  { readonly transact: <A, E, R>(writes: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> }
>()("saldo/core/Atomic") {}
