import { Effect, Layer } from "effect"
import { countedIn, type Window } from "../../core/domain/RateLimit.ts"
import { CallCounter } from "../../core/ports/CallCounter.ts"

/** The calls of a bucket. It changes in place: a map takes as long to set as to find. */
interface Count {
  held: number
}

/** Counts in this process. */
export const make = (): CallCounter["Service"] => {
  const windows = new Map<number, { readonly number: number; readonly counts: Map<string, Count> }>()
  // One window of a length at a time: what is over is forgotten. A clock that goes back by a moment gives no call back;
  // one that was put back by hours would refuse everybody until it comes to that window again.
  const countsOf = ({ length_s, number }: Window) => {
    const current = windows.get(length_s)
    if (current !== undefined && (current.number === number || current.number === number + 1)) return current.counts
    const counts = new Map<string, Count>()
    windows.set(length_s, { number, counts })
    return counts
  }
  return {
    count: (bucket, window, calls) =>
      Effect.sync(() => {
        const counts = countsOf(window)
        const count = counts.get(bucket.key)
        const held = (count?.held ?? 0) + calls
        const counted = countedIn(bucket, window, held)
        if (counted.admitted) {
          if (count === undefined) counts.set(bucket.key, { held })
          else count.held = held
        }
        return counted
      })
  }
}

/** Every process counts by itself. */
export const layer = Layer.sync(CallCounter, make)
