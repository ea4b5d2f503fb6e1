import { Clock, Console, Context, Effect } from "effect"

/** How the benchmark was asked to run. */
export interface Options {
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
}

/** Tells a person who waits what is going on and how long it will take. */
export class Progress extends Context.Service<
  Progress,
  {
    readonly options: Options
    /** Runs a piece of work that was planned to take so long. */
    readonly step: <A, E, R>(what: string, planned_s: number, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("saldo/bench/Progress") {}

/** How long something takes, for a person who waits. */
export const inWords = (seconds: number): string =>
  seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`

/**
 * Says each step on stderr with the time that is left: what was planned for the rest, at the pace so far.
 *
 * @param planned_s of all steps together.
 */
export const make = Effect.fnUntraced(function* (options: Options, planned_s: number) {
  const seconds = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e9)
  const began_s = yield* seconds
  let done_s = 0
  return Progress.of({
    options,
    step: (what, step_s, work) =>
      Effect.gen(function* () {
        const pace = done_s === 0 ? 1 : ((yield* seconds) - began_s) / done_s
        const left = inWords((planned_s - done_s) * pace)
        const percent = Math.min(99, Math.floor((100 * done_s) / planned_s))
        yield* Console.error(`${String(percent).padStart(3)} %  ${what} (about ${left} left)`)
        const result = yield* work
        done_s += step_s
        return result
      })
  })
})
