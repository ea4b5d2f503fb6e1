import { Context, type Effect } from "effect"

/** Makes several writes one: all of them are kept, or none. Where there are no transactions, one follows the other. */
export const Atomic = Context.Reference<{
  readonly together: <A, E, R>(writes: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}>("saldo/core/Atomic", { defaultValue: () => ({ together: (writes) => writes }) })
