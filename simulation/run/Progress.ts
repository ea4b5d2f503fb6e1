import { Effect } from "effect"
import { inWords, say, seconds } from "../../tools/Progress.ts"

/** A line so often. */
const every_s = 3

/**
 * Tells a person who waits on stderr how far a run has come and how long the rest will take. What it makes is run once
 * for each thing that is done.
 */
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
