import { Effect } from "effect"

/**
 * A span around what every call goes through, where traces are collected, and nothing where they are not: `Effect.fn`
 * captures a stack frame each time all the same, which costs more than most of the work that it would trace.
 */
export const spanWhenTraced =
  (name: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => (fiber.cache.tracerEnabled ? Effect.withSpan(work, name) : work))
