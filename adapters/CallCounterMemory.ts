import { Effect, Layer } from "effect"
import { countedIn, type Window } from "../core/domain/RateLimit.ts"
import { CallCounter } from "../core/ports/CallCounter.ts"

/** The number of calls in one bucket. Mutable, so that counting a call takes one map access instead of two. */
interface Count {
  held: number
}

/** Counts the calls that this process receives. */
export const make = (): CallCounter["Service"] => {
  const windows = new Map<number, { readonly number: number; readonly counts: Map<string, Count> }>()
  // Keeps the counts of one window for each window length. If the clock goes back into the window before, the current
  // counts stay, so that no caller gains calls. If the clock goes back further, the counts restart at zero. Without
  // this restart, callers would be refused until the clock reaches the old window again.
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

/** A call counter in memory. Each process has its own counts. */
export const layer = Layer.sync(CallCounter, make)
