import { Context, Effect } from "effect"

/**
 * Reports how much of a long operation is done. The total is null if it is unknown. The command line shows it on a
 * terminal. By default nothing is shown.
 */
export const ReportProgress = Context.Reference<(done: number, total: number | null) => Effect.Effect<void>>(
  "saldo/core/ReportProgress",
  { defaultValue: () => () => Effect.void }
)
