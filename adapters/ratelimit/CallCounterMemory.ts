import { Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import { CallCounter } from "../../core/ports/CallCounter.ts"
import { countMinute } from "./Minute.ts"

const freshLimiter = RateLimiter.make.pipe(Effect.provide(Layer.fresh(RateLimiter.layerStoreMemory)))

/** Counts in this process. */
export const make: Effect.Effect<CallCounter["Service"]> = Effect.gen(function* () {
  const services = yield* Effect.context<never>()
  let minute = 0
  let limiter = yield* freshLimiter
  return {
    count: (bucket, window, calls) =>
      Effect.suspend(() => {
        // The store in memory never forgets a key, so every minute begins with a new one.
        if (window.number > minute) {
          minute = window.number
          limiter = Effect.runSyncWith(services)(freshLimiter)
        }
        return Effect.orDie(countMinute(limiter, bucket, window, calls))
      })
  }
})

/** Every process counts by itself. */
export const layer = Layer.effect(CallCounter, make)
