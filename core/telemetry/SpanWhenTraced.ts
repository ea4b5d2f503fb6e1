import { Effect } from "effect"

/**
 * A span around what every call goes through, where traces are collected, and nothing where they are not: `Effect.fn`
 * captures a stack frame each time all the same, which costs more than most of the work that it would trace.
 */
export const spanWhenTraced =
  (name: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => (fiber.cache.tracerEnabled ? Effect.withSpan(work, name) : work))

/**
 * The same around each run of a workflow. Given to `Effect.fnUntraced` instead, a span costs as much again as the rest of
 * a small workflow, for its arguments are handed on to it.
 */
export const spanned = <Given extends ReadonlyArray<unknown>, A, E, R>(
  name: string,
  work: (...given: Given) => Effect.Effect<A, E, R>
): ((...given: Given) => Effect.Effect<A, E, R>) => {
  const span = spanWhenTraced(name)
  return (...given) => span(work(...given))
}
