import { Cause, Effect } from "effect"
import { CliError, Command, GlobalFlag } from "effect/cli"
import { wordsOf } from "../../adapters/postgres/SqlFailure.ts"
import manifest from "../../package.json" with { type: "json" }
import { refusalOf } from "./Refusals.ts"
import { saldo } from "./Saldo.ts"
import { AsJson, CheckFailed } from "./terminal/Output.ts"
import { report, withUsage } from "./Usage.ts"

/** What the shell is told: done, a failed check or a refusal, wrong usage. */
const exitCodes = { done: 0, refused: 1, wrongUsage: 2 }

// What is logged, and how, is a matter of the environment: LOG_LEVEL.
const builtIns = [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions]

/**
 * Runs a command line and answers its exit code. Answers go to stdout, everything else to stderr.
 */
export const run = Effect.fn("Run.run")((args: ReadonlyArray<string>) =>
  Command.runWith(saldo, { version: manifest.version })(args).pipe(
    Effect.as(exitCodes.done),
    Effect.catchCause(explain),
    withUsage(args, builtIns)
  )
)

const explain = (cause: Cause.Cause<unknown>) => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
  const error = Cause.squash(cause)
  if (CliError.isCliError(error) && error._tag === "ShowHelp") {
    const asked = error.errors.length === 0 && error.commandPath.length === 1
    return Effect.map(AsJson, (json) => (asked && !json ? exitCodes.done : exitCodes.wrongUsage))
  }
  if (error instanceof CheckFailed) return Effect.succeed(exitCodes.refused)
  return Effect.as(Cause.hasDies(cause) ? unexpected(cause) : report(refusalOf(error)), exitCodes.refused)
}

/** A failure of the machine, or of this program: whoever has to look into it gets all there is. */
const unexpected = (cause: Cause.Cause<unknown>) =>
  report({
    code: "UNEXPECTED",
    message: `${wordsOf(Cause.squash(cause))}. "saldo doctor" looks for what is wrong.\n${Cause.pretty(cause)}`
  })
