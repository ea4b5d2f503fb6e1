import { Predicate, Schedule } from "effect"
import type { SqlError } from "effect/sql/SqlError"

// The server is stopping, starting or gone; the driver leaves these to its caller.
const serverGone = new Set(["57P01", "57P02", "57P03", "53300"])

const stateOf = (cause: unknown): unknown =>
  Predicate.hasProperty(cause, "code")
    ? cause.code
    : Predicate.hasProperty(cause, "cause")
      ? stateOf(cause.cause)
      : null

/**
 * May the statement be tried again? Yes when the connection died, the server restarts, or the transaction lost a
 * conflict. Whether an earlier try committed is then unknown: only statements that recognize their own commit may be
 * sent again, and those whose second commit does no harm.
 */
export const isTransient = (error: SqlError): boolean =>
  error.isRetryable || serverGone.has(String(stateOf(error.reason.cause)))

/** Has the database refused it because the login has no right to it? */
export const isForbidden = (error: unknown): boolean => stateOf(error) === "42501"

/** The message of an error and of what caused it. */
export const wordsOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${wordsOf(error.cause)}`
}

/** Seven tries in a second and a half: as long as a caller can be kept waiting for a database that restarts. */
export const transientRetry = Schedule.max([Schedule.exponential("25 millis"), Schedule.recurs(6)]).pipe(
  Schedule.setInputType<SqlError>(),
  Schedule.while(({ input }) => isTransient(input))
)
