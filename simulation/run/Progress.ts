import { Clock, Console, Effect } from "effect"

/** A line so often. */
const every_s = 3

const inWords = (seconds: number): string =>
  seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`

const seconds = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e9)

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
      const percent = String(Math.floor((100 * done) / total)).padStart(3)
      return Console.error(`${percent} %  ${done} of ${total} ${what} (about ${left} left)`)
    })
  })
