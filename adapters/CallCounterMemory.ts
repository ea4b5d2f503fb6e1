import { Effect, Layer } from "effect"
import { countedIn, type Window } from "../core/domain/RateLimit.ts"
import { CallCounter } from "../core/ports/CallCounter.ts"

/** The number of calls in one bucket. Mutable, so that counting a call takes one map access instead of two. */
interface Count {
  held: number
}

/**
 * Counts calls. Returns the number of calls in the window, including these calls. Calls above the limit are not counted.
 */
type CountCalls = (key: string, limit: number, window: Pick<Window, "length_s" | "number">, calls: 0 | 1) => number

/** Makes a function that counts calls in the memory of this process. */
export const makeCounts = (): CountCalls => {
  const windows = new Map<number, { readonly number: number; readonly counts: Map<string, Count> }>()
  // Keeps only the counts of the latest window of each length. If the clock goes back to the previous window,
  // these counts stay in use, so that no caller gains calls. If the clock goes back further, the counts
  // restart at zero. Without this restart, callers would be refused until the clock reaches the old window
  // again.
  const countsOf = ({ length_s, number }: Pick<Window, "length_s" | "number">) => {
    const current = windows.get(length_s)
    if (current !== undefined && (current.number === number || current.number === number + 1)) return current.counts
    const counts = new Map<string, Count>()
    windows.set(length_s, { number, counts })
    return counts
  }
  return (key, limit, window, calls) => {
    const counts = countsOf(window)
    const count = counts.get(key)
    const held = (count?.held ?? 0) + calls
    if (held <= limit) {
      if (count === undefined) counts.set(key, { held })
      else count.held = held
    }
    return held
  }
}

/** Counts the calls that this process receives. */
export const make = (): CallCounter["Service"] => {
  const counts = makeCounts()
  return {
    count: (bucket, window, calls) =>
      Effect.sync(() => countedIn(bucket, window, counts(bucket.key, bucket.limit, window, calls)))
  }
}

/** A call counter in memory. Each process has its own counts. */
export const layer = Layer.sync(CallCounter, make)
