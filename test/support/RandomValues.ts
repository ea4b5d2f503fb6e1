import { type Context, Effect } from "effect"
import fc from "fast-check"

/** Timeout of a test with random values. Shrinking a counterexample takes longer than finding it. */
export const randomTimeout_ms = 300_000

/** Runs a check for `count` random values. When a check fails, the error states the smallest counterexample found. */
export const forRandomValues = <A, E, R>(
  values: fc.Arbitrary<A>,
  count: number,
  check: (value: A) => Effect.Effect<unknown, E, R>
): Effect.Effect<void, never, R> =>
  Effect.contextWith((context: Context.Context<R>) =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(values, (value) => Effect.runPromiseWith(context)(Effect.asVoid(check(value)))),
        { numRuns: count }
      )
    )
  )
