import { Clock, Console, Effect } from "effect"

/** Monotonic time in seconds, unaffected by changes of the wall clock. */
export const monotonic_s = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e9)

/** A duration for people: seconds up to 90 s, then minutes. */
export const formatDuration = (seconds: number): string =>
  seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`

/** Prints a progress line on stderr. `npm run prove` reads the percentage. */
const reportProgress = (percent: number, what: string) => Console.error(`${String(percent).padStart(3)} %  ${what}`)

/** Prints a progress line, then runs a piece of work with this expected duration. */
export type ProgressStep = <A, E, R>(
  what: string,
  planned_s: number,
  work: Effect.Effect<A, E, R>
) => Effect.Effect<A, E, R>

/**
 * Creates a progress over steps with expected durations. Each line has the remaining time: the expected rest at the
 * pace so far.
 *
 * @param planned_s sum over all steps.
 */
export const plannedSteps = (planned_s: number): Effect.Effect<ProgressStep> =>
  Effect.map(monotonic_s, (began_s) => {
    let done_s = 0
    return (what, step_s, work) =>
      Effect.gen(function* () {
        const pace = done_s === 0 ? 1 : ((yield* monotonic_s) - began_s) / done_s
        const left = formatDuration((planned_s - done_s) * pace)
        yield* reportProgress(Math.min(99, Math.floor((100 * done_s) / planned_s)), `${what} (about ${left} left)`)
        const result = yield* work
        done_s += step_s
        return result
      })
  })

const progressSteps = 20

/**
 * Says on stderr how far a run of so many requests is and how long the rest will take at the pace so far. It goes by
 * the clock of whoever makes it: the service that is called has one of its own.
 */
export const progressByShare = Effect.fnUntraced(function* (requests: number) {
  const clock = yield* Clock.Clock
  const now_s = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e9
  const began_s = now_s()
  let said = 0
  return (sent: number) =>
    Effect.suspend(() => {
      const step = Math.min(progressSteps, Math.floor((progressSteps * sent) / requests))
      if (step <= said) return Effect.void
      said = step
      const left_s = ((now_s() - began_s) / sent) * Math.max(0, requests - sent)
      const count = `${sent.toLocaleString("en")} of ${requests.toLocaleString("en")} requests`
      const rest = sent < requests ? ` (about ${formatDuration(left_s)} left)` : ""
      return reportProgress(step * (100 / progressSteps), `${count}${rest}`)
    })
})

/** Interval between progress lines. */
const every_s = 3

/** Prints progress and the estimated remaining time on stderr. Run the returned effect once for each finished item. */
export const progressByCount = (what: string, total: number): Effect.Effect<Effect.Effect<void>> =>
  Effect.map(monotonic_s, (began_s) => {
    let told_s = began_s
    let done = 0
    return Effect.flatMap(monotonic_s, (now_s) => {
      done++
      if (now_s - told_s < every_s || done === total) return Effect.void
      told_s = now_s
      const left = formatDuration(((now_s - began_s) / done) * (total - done))
      return reportProgress(Math.floor((100 * done) / total), `${done} of ${total} ${what} (about ${left} left)`)
    })
  })
