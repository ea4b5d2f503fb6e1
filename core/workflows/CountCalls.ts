import { Effect } from "effect"
import { type Bucket, dayWindowAt, windowAt } from "../domain/RateLimit.ts"
import { CallCounter } from "../ports/CallCounter.ts"

const count = (bucket: Bucket, calls: 0 | 1, windowOf = windowAt) =>
  CallCounter.use((counter) =>
    Effect.clockWith((clock) => counter.count(bucket, windowOf(clock.currentTimeMillisUnsafe()), calls))
  )

/** Counts one call. Returns whether the bucket admitted it and the quota left. Contract: 8. */
export const countCall = (bucket: Bucket) => count(bucket, 1)

/** Counts one call of the local day. Returns whether the day admitted it. */
export const countOfDay = (bucket: Bucket) => Effect.map(count(bucket, 1, dayWindowAt), ({ admitted }) => admitted)

/** Reads the quota left without counting. */
export const quotaOf = (bucket: Bucket) => Effect.map(count(bucket, 0), ({ quota }) => quota)
