import { Clock, Console, Effect } from "effect"

const steps = 20

const inWords = (seconds: number): string =>
  seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`

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
      const percent = Math.min(100, step * (100 / steps))
      const count = `${sent.toLocaleString("en")} of ${requests.toLocaleString("en")} requests`
      const rest = sent < requests ? ` (about ${inWords(left_s)} left)` : ""
      return Console.error(`${String(percent).padStart(3)} %  ${count}${rest}`)
    })
})
