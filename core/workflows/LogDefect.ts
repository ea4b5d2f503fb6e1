import { Cause, Effect } from "effect"

/**
 * Logs a defect as a cause, so that only its stack is logged. A database error logged as a value would print the
 * refused row, which contains the customer's number.
 */
export const logDefect = (message: string, broken: unknown, about: Readonly<Record<string, unknown>> = {}) =>
  Effect.logError(message, about, Cause.isCause(broken) ? broken : Cause.die(broken))
