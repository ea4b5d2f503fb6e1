import type { Bucket } from "../../core/domain/RateLimit.ts"
import type { Counted } from "../../core/ports/CallCounter.ts"

/**
 * What a bucket says to calls with which it would hold so many.
 *
 * @param held those that were counted before, and these.
 */
export const countedOf = ({ limit }: Bucket, held: number): Counted => ({
  admitted: held <= limit,
  remaining: Math.max(0, limit - held)
})
