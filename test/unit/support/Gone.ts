import { Effect } from "effect"

/** Lets the first so many calls find no database; those that come after do as they are told. */
export const goneFor = (times: number) => {
  let left = times
  return <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => (left-- > 0 ? Effect.die(new Error("database gone")) : call))
}

/** The first so many settlements, of sales or of reversals, find no database. */
export const settlingFails = (times: number) => {
  const orGone = goneFor(times)
  return <Settlement, Settled, Port>(
    port: Port & { readonly settle: (settlement: Settlement) => Effect.Effect<Settled> }
  ) => ({ ...port, settle: (settlement: Settlement) => orGone(port.settle(settlement)) })
}
