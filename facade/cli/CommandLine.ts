import { Cause, Effect, Option } from "effect"
import { CliError, Command, GlobalFlag } from "effect/cli"
import { wordsOf } from "../../adapters/postgres/connection/SqlFailure.ts"
import { failureOf } from "../../core/domain/ErrorCatalogue.ts"
import { CompanyClosed } from "../../core/domain/Errors.ts"
import { ReferenceElsewhere } from "../../core/domain/OperatorErrors.ts"
import manifest from "../../package.json" with { type: "json" }
import { audit } from "./commands/Audit.ts"
import { caseCommand } from "./commands/Case.ts"
import { catalog } from "./commands/Catalog.ts"
import { cell } from "./commands/Cell.ts"
import { close } from "./commands/Close.ts"
import { company } from "./commands/Company.ts"
import { consoleCommand } from "./commands/Console.ts"
import { doctor } from "./commands/Doctor.ts"
import { insurance } from "./commands/Insurance.ts"
import { log } from "./commands/Log.ts"
import { login, logout } from "./commands/Login.ts"
import { migrate } from "./commands/Migrate.ts"
import { operator } from "./commands/Operator.ts"
import { reconcile } from "./commands/Reconcile.ts"
import { serve } from "./commands/Serve.ts"
import { sms } from "./commands/Sms.ts"
import { status } from "./commands/Status.ts"
import { token } from "./commands/Token.ts"
import { transactions } from "./commands/Transactions.ts"
import { webhook } from "./commands/Webhook.ts"
import { refusalOf } from "./Refusals.ts"
import { AsJson, CheckFailed, jsonFlag, printRefusal, withUsage } from "./terminal/Output.ts"

/** The operator's command line. */
export const saldo = Command.make("saldo").pipe(
  Command.withDescription(
    "Sell top-ups, bills and insurance from a prepaid balance. Commands use the database of DATABASE_URL or, without it, the embedded Postgres in DATA_DIR, which they start if necessary. Times are in Santo Domingo time (UTC-4), as in the API; a time that ends in Z is UTC. Exit codes: 0 done, 1 refused or a check failed, 2 wrong usage."
  ),
  Command.withSubcommands([
    serve,
    consoleCommand,
    migrate,
    doctor,
    status,
    operator,
    login,
    logout,
    log,
    company,
    cell,
    token,
    catalog,
    transactions,
    insurance,
    sms,
    webhook,
    reconcile,
    caseCommand,
    close,
    audit
  ]),
  Command.withGlobalFlags([jsonFlag])
)

/** Exit codes of the process. */
const exitCodes = { done: 0, refused: 1, wrongUsage: 2 }

// Log flags are left out, because the variable LOG_LEVEL sets the log level.
const builtInFlags = [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions]

/** Runs a command line and returns its exit code. Results go to stdout, everything else to stderr. */
export const runCommandLine = Effect.fn("CommandLine.run")((args: ReadonlyArray<string>) =>
  Command.runWith(saldo, { version: manifest.version })(args).pipe(
    Effect.as(exitCodes.done),
    Effect.catchCause(exitCodeOf),
    withUsage(args, builtInFlags)
  )
)

const exitCodeOf = (cause: Cause.Cause<unknown>) => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
  const error = Option.getOrElse(failureOf(cause), () => Cause.squash(cause))
  if (CliError.isCliError(error) && error._tag === "ShowHelp") {
    const asked = error.errors.length === 0 && error.commandPath.length === 1
    return Effect.map(AsJson, (json) => (asked && !json ? exitCodes.done : exitCodes.wrongUsage))
  }
  if (error instanceof CheckFailed) return Effect.succeed(exitCodes.refused)
  // Wrong usage, because the command needs --repetida to confirm the repeated reference.
  if (error instanceof ReferenceElsewhere) return Effect.as(printRefusal(refusalOf(error)), exitCodes.wrongUsage)
  const isDefect = Cause.hasDies(cause) && !(error instanceof CompanyClosed)
  return Effect.as(isDefect ? reportUnexpected(cause) : printRefusal(refusalOf(error)), exitCodes.refused)
}

/** Reports a defect or a failure of the machine with its full cause and stack. */
const reportUnexpected = (cause: Cause.Cause<unknown>) =>
  printRefusal({
    code: "UNEXPECTED",
    message: `${wordsOf(Cause.squash(cause))}. Check the installation with "saldo doctor".\n${Cause.pretty(cause)}`
  })
