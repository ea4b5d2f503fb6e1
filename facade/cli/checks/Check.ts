import { Effect } from "effect"
import { isForbidden, wordsOf } from "../../../adapters/postgres/connection/SqlFailure.ts"

/** Something that was looked at, and how it is. */
export interface Check {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
}

/** A check that found nothing wrong. */
export const passed = (name: string, detail: string): Check => ({ name, ok: true, detail })

/** A check that did, and what to do about it. */
export const failed = (name: string, detail: string): Check => ({ name, ok: false, detail })

const notExamined = (name: string) => (error: unknown) =>
  Effect.succeed(
    failed(name, `could not be looked at: ${isForbidden(error) ? "the login may not; see role" : wordsOf(error)}`)
  )

/** What breaks while it looks is a check that failed, and the others look all the same. */
export const isolated = <E, R>(name: string, check: Effect.Effect<Check, E, R>): Effect.Effect<Check, never, R> =>
  check.pipe(Effect.catch(notExamined(name)), Effect.catchDefect(notExamined(name)))
