import { Clock, Effect } from "effect"
import { inWords, say } from "../../tools/Progress.ts"

const steps = 20

/**
 * Says on stderr how far a run of so many requests is and how long the rest will take at the pace so far. It goes by
 * the clock of whoever makes it: the service that is called has one of its own.
 */
export const progressOf = Effect.fnUntraced(function* (requests: number) {
  const clock = yield* Clock.Clock
  const now_s = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e9
  const began_s = now_s()
  let said = 0
  return (sent: number) =>
    Effect.suspend(() => {
      const step = Math.min(steps, Math.floor((steps * sent) / requests))
      if (step <= said) return Effect.void
      said = step
      const left_s = ((now_s() - began_s) / sent) * Math.max(0, requests - sent)
      const count = `${sent.toLocaleString("en")} of ${requests.toLocaleString("en")} requests`
      const rest = sent < requests ? ` (about ${inWords(left_s)} left)` : ""
      return say(step * (100 / steps), `${count}${rest}`)
    })
})
