import { Effect, References } from "effect"

/**
 * Follows in a span what every call goes through, where somebody follows traces, and does nothing where nobody does:
 * `Effect.fn` would note its caller each time all the same, which costs more than most of what it would follow.
 */
export const followed =
  (name: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => (fiber.getRef(References.TracerEnabled) ? Effect.withSpan(work, name) : work))
