import { Effect } from "effect"

/**
 * Runs an effect in a span only when traces are collected. Cheaper than `Effect.fn`, which captures a stack frame on
 * every call even without a tracer.
 */
export const spanWhenTraced =
  (name: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => (fiber.cache.tracerEnabled ? Effect.withSpan(work, name) : work))

/** Wraps a workflow so that each run has its own span when tracing is on. */
export const withSpan = <Given extends ReadonlyArray<unknown>, A, E, R>(
  name: string,
  work: (...given: Given) => Effect.Effect<A, E, R>
): ((...given: Given) => Effect.Effect<A, E, R>) => {
  const span = spanWhenTraced(name)
  return (...given) => span(work(...given))
}
