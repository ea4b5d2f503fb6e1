import { Cause, Effect } from "effect"

/**
 * Logs what broke as a cause, of which a line shows the stack alone: an error of the database that is logged as a value
 * brings the row along that it refused, with the number that was sold to.
 */
export const logDefect = (message: string, broken: unknown, about: Readonly<Record<string, unknown>> = {}) =>
  Effect.logError(message, about, Cause.isCause(broken) ? broken : Cause.die(broken))
