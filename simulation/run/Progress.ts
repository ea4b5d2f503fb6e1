import { Effect } from "effect"
import { inWords, say, seconds } from "../../tools/Progress.ts"

/** Interval between progress lines. */
const every_s = 3

/** Prints progress and the estimated remaining time on stderr. Run the returned effect once for each finished item. */
export const progressOf = (what: string, total: number): Effect.Effect<Effect.Effect<void>> =>
  Effect.map(seconds, (began_s) => {
    let told_s = began_s
    let done = 0
    return Effect.flatMap(seconds, (now_s) => {
      done++
      if (now_s - told_s < every_s || done === total) return Effect.void
      told_s = now_s
      const left = inWords(((now_s - began_s) / done) * (total - done))
      return say(Math.floor((100 * done) / total), `${done} of ${total} ${what} (about ${left} left)`)
    })
  })
