import { Console, Effect } from "effect"

/** The other tests have the rest of the machine: a second thread for each run cost more than it gained. */
export const threads = 1

/** It takes a minute of a core that has nothing else to do, which it seldom has. */
export const timeout_ms = 20 * 60_000

/** Nobody waits here who wants to know how far it has come. */
export const quietly = <A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(run, Console.Console, { ...globalThis.console, error: () => {} })
