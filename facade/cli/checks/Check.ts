import { Effect } from "effect"
import { isForbidden, wordsOf } from "../../../adapters/postgres/connection/SqlFailure.ts"

/**
 * How urgent a result is. `warn`: the service works, and the detail advises a change. `wrong`: the service does not
 * work, or may lose money or data.
 */
export type Level = "ok" | "warn" | "wrong"

/** The result of one check. */
export interface Check {
  readonly name: string
  readonly level: Level
  readonly detail: string
}

/** The result of a check that found no fault. */
export const passed = (name: string, detail: string): Check => ({ name, level: "ok", detail })

/** The result of a check that advises a change. */
export const warned = (name: string, detail: string): Check => ({ name, level: "warn", detail })

/** The result of a check that found a fault. The detail states the remedy. */
export const failed = (name: string, detail: string): Check => ({ name, level: "wrong", detail })

/** Maximum number of ids that the detail of a check lists. */
const named_max = 5

/** Names things by their ids: `companies 1, 2, 3, 4, 5 and 7 more`. */
export const namedByIds = (one: string, several: string, items: ReadonlyArray<{ readonly id: number }>): string => {
  const ids = items.slice(0, named_max).map(({ id }) => id)
  const more = items.length - ids.length
  return `${items.length === 1 ? one : several} ${ids.join(", ")}${more === 0 ? "" : ` and ${more} more`}`
}

const notExamined = (name: string) => (error: unknown) =>
  Effect.succeed(
    failed(name, `could not be checked: ${isForbidden(error) ? "the login lacks the right; see role" : wordsOf(error)}`)
  )

/** Runs a check separately: an error in it becomes a failed check and does not stop the others. */
export const isolated = <E, R>(name: string, check: Effect.Effect<Check, E, R>): Effect.Effect<Check, never, R> =>
  check.pipe(Effect.catch(notExamined(name)), Effect.catchDefect(notExamined(name)))
