import { Console, Effect } from "effect"

/** Number of threads. A second thread slows the tests down, because other tests use the machine at the same time. */
export const threads = 1

/** Test timeout. A test needs about a minute of an idle core, but the cores are rarely idle. */
export const timeout_ms = 20 * 60_000

/** Runs without progress lines. */
export const quietly = <A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(run, Console.Console, { ...globalThis.console, error: () => {} })
