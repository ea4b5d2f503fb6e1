import { Console, Effect } from "effect"

/** A run of a simulation shares the machine with the other tests. */
export const threads = 2

/** It takes half a minute of two cores that have nothing else to do, which they seldom have. */
export const timeout_ms = 300_000

/** Nobody waits here who wants to know how far it has come. */
export const quietly = <A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(run, Console.Console, { ...globalThis.console, error: () => {} })
