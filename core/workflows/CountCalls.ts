import { Effect } from "effect"
import { type Bucket, dayWindowAt, windowAt } from "../domain/RateLimit.ts"
import { CallCounter } from "../ports/CallCounter.ts"

const count = (bucket: Bucket, calls: 0 | 1, windowOf = windowAt) =>
  CallCounter.use((counter) =>
    Effect.clockWith((clock) => counter.count(bucket, windowOf(clock.currentTimeMillisUnsafe()), calls))
  )

/** Counts one call in the current minute. Returns whether the call is admitted, and the quota left. Contract: 8. */
export const countCall = (bucket: Bucket) => count(bucket, 1)

/** Counts one call in the current local day. Returns whether the call is admitted. */
export const countOfDay = (bucket: Bucket) => Effect.map(count(bucket, 1, dayWindowAt), ({ admitted }) => admitted)

/** Reads the quota left without counting. */
export const quotaOf = (bucket: Bucket) => Effect.map(count(bucket, 0), ({ quota }) => quota)
