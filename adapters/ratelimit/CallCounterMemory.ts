import { Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import type { Window } from "../../core/domain/RateLimit.ts"
import { CallCounter } from "../../core/ports/CallCounter.ts"
import { countIn } from "./CountIn.ts"

const freshLimiter = RateLimiter.make.pipe(Effect.provide(Layer.fresh(RateLimiter.layerStoreMemory)))

/** Counts in this process. */
export const make: Effect.Effect<CallCounter["Service"]> = Effect.gen(function* () {
  const services = yield* Effect.context<never>()
  const windows = new Map<number, { readonly number: number; readonly limiter: RateLimiter.RateLimiter }>()
  // The store in memory never forgets a key, so every window begins with a new one.
  const limiterOf = ({ length_s, number }: Window) => {
    const current = windows.get(length_s)
    if (current !== undefined && current.number >= number) return current.limiter
    const limiter = Effect.runSyncWith(services)(freshLimiter)
    windows.set(length_s, { number, limiter })
    return limiter
  }
  return {
    count: (bucket, window, calls) =>
      Effect.suspend(() => Effect.orDie(countIn(limiterOf(window), bucket, window, calls)))
  }
})

/** Every process counts by itself. */
export const layer = Layer.effect(CallCounter, make)
