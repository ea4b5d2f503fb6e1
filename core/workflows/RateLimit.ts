import { Clock, Effect } from "effect"
import { type Bucket, type Quota, windowAt } from "../domain/RateLimit.ts"
import { CallCounter } from "../ports/CallCounter.ts"

const count = Effect.fnUntraced(function* (bucket: Bucket, calls: 0 | 1) {
  const counter = yield* CallCounter
  const window = windowAt(yield* Clock.currentTimeMillis)
  const { admitted, remaining } = yield* counter.count(bucket, window, calls)
  const quota: Quota = { limit: bucket.limit, remaining, window }
  return { admitted, quota }
})

/** Counts one call, and says whether the bucket had room for it and what it has left. Contract: 8. */
export const countCall = (bucket: Bucket) => count(bucket, 1)

/** What the bucket has left; counts nothing. */
export const quotaOf = (bucket: Bucket) => Effect.map(count(bucket, 0), ({ quota }) => quota)
