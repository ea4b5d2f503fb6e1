import { Clock, Console, Effect } from "effect"

/** Of the clock that nobody sets. */
export const seconds = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e9)

/** How long something takes, for a person who waits. */
export const inWords = (seconds: number): string =>
  seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`

/** Says on stderr how far a program is: as a line that `npm run prove` understands too. */
export const say = (percent: number, what: string) => Console.error(`${String(percent).padStart(3)} %  ${what}`)

/** Runs a piece of work that was planned to take so long. */
export type Step = <A, E, R>(what: string, planned_s: number, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Says each step with the time that is left: what was planned for the rest, at the pace so far.
 *
 * @param planned_s of all steps together.
 */
export const inSteps = (planned_s: number): Effect.Effect<Step> =>
  Effect.map(seconds, (began_s) => {
    let done_s = 0
    return (what, step_s, work) =>
      Effect.gen(function* () {
        const pace = done_s === 0 ? 1 : ((yield* seconds) - began_s) / done_s
        const left = inWords((planned_s - done_s) * pace)
        yield* say(Math.min(99, Math.floor((100 * done_s) / planned_s)), `${what} (about ${left} left)`)
        const result = yield* work
        done_s += step_s
        return result
      })
  })
