import { Duration, Effect } from "effect"
import type { RateLimiter } from "effect/persistence"
import type { Bucket, Window } from "../../core/domain/RateLimit.ts"
import type { Counted } from "../../core/ports/CallCounter.ts"

/**
 * Counts a window of the clock with the library's fixed window. That one is not aligned to the clock and gives calls back
 * as time passes, one every `window / limit`. So a key names one window of the clock, and a call is given back after
 * the whole length of it, when nobody looks at that key any more. A key lives as many lengths as it counted calls: a
 * shared store never holds more keys than there are calls in a window.
 */
export const countIn = (
  limiter: RateLimiter.RateLimiter,
  { key, limit }: Bucket,
  window: Window,
  calls: 0 | 1
): Effect.Effect<Counted, RateLimiter.RateLimitStoreError> =>
  limiter
    .consume({
      key: `${key}:${window.number}`,
      limit,
      window: Duration.seconds(limit * window.length_s),
      tokens: calls
    })
    .pipe(
      Effect.matchEffect({
        onSuccess: ({ remaining }) => Effect.succeed({ admitted: true, remaining }),
        onFailure: ({ reason }) =>
          reason._tag === "RateLimitExceeded" ? Effect.succeed({ admitted: false, remaining: 0 }) : Effect.fail(reason)
      })
    )
