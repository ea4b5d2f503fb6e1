import { Effect } from "effect"
import { isForbidden, wordsOf } from "../../../adapters/postgres/connection/SqlFailure.ts"

/** The result of one check. */
export interface Check {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
}

/** The result of a check that found no fault. */
export const passed = (name: string, detail: string): Check => ({ name, ok: true, detail })

/** The result of a check that found a fault, with its remedy. */
export const failed = (name: string, detail: string): Check => ({ name, ok: false, detail })

const notExamined = (name: string) => (error: unknown) =>
  Effect.succeed(
    failed(name, `could not be checked: ${isForbidden(error) ? "the login lacks the right; see role" : wordsOf(error)}`)
  )

/** Runs a check separately: an error in it becomes a failed check and does not stop the others. */
export const isolated = <E, R>(name: string, check: Effect.Effect<Check, E, R>): Effect.Effect<Check, never, R> =>
  check.pipe(Effect.catch(notExamined(name)), Effect.catchDefect(notExamined(name)))
