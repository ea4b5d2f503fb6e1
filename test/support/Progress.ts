import { Clock, Console, Effect } from "effect"

/** Monotonic time in seconds. Changes of the wall clock do not affect it. */
export const monotonic_s = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e9)

/** A duration as readable text: in seconds up to 90 s, then in minutes. */
export const formatDuration = (seconds: number): string =>
  seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`

/** Prints a progress line on stderr. `npm run prove` reads the percentage. */
const reportProgress = (percent: number, what: string, left_s: number) =>
  Console.error(
    `${String(Math.min(99, Math.floor(percent))).padStart(3)} %  ${what} (about ${formatDuration(left_s)} left)`
  )

/** Prints a progress line, then runs a piece of work for which a duration is planned. */
export type ProgressStep = <A, E, R>(
  what: string,
  planned_s: number,
  work: Effect.Effect<A, E, R>
) => Effect.Effect<A, E, R>

/**
 * Creates a progress display for steps with planned durations. Each line states the remaining time, which is the
 * remaining planned time corrected by the pace so far.
 *
 * @param planned_s sum of the planned durations of all steps.
 */
export const plannedSteps = (planned_s: number): Effect.Effect<ProgressStep> =>
  Effect.map(monotonic_s, (began_s) => {
    let done_s = 0
    return (what, step_s, work) =>
      Effect.gen(function* () {
        const pace = done_s === 0 ? 1 : ((yield* monotonic_s) - began_s) / done_s
        yield* reportProgress((100 * done_s) / planned_s, what, (planned_s - done_s) * pace)
        const result = yield* work
        done_s += step_s
        return result
      })
  })

/** Interval between progress lines. */
const interval_s = 3

/**
 * Creates a progress display for items, such as requests. The returned function receives the number of items done so
 * far, and prints at most one line every 3 seconds. It uses the clock that is current at its creation, because the
 * effect that calls it may run on a test clock.
 */
export const progressByCount = Effect.fnUntraced(function* (what: string, total: number) {
  const clock = yield* Clock.Clock
  const now_s = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e9
  const began_s = now_s()
  let printed_s = began_s
  return (done: number) =>
    Effect.suspend(() => {
      const at_s = now_s()
      if (at_s - printed_s < interval_s || done >= total) return Effect.void
      printed_s = at_s
      const left_s = ((at_s - began_s) / done) * (total - done)
      const count = `${done.toLocaleString("en")} of ${total.toLocaleString("en")} ${what}`
      return reportProgress((100 * done) / total, count, left_s)
    })
})
