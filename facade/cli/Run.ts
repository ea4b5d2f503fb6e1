import { Cause, Console, Effect } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag, type HelpDoc } from "effect/cli"
import manifest from "../../package.json" with { type: "json" }
import { AsJson, CheckFailed, toJson, wantsJson } from "./Output.ts"
import { type Refusal, refusalOf } from "./Refusals.ts"
import { saldo } from "./Saldo.ts"

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
    Effect.provideService(CliOutput.Presenter, { present }),
    Effect.provideService(AsJson, wantsJson(args)),
    Effect.provideService(CliConfig.CliConfig, { builtIns })
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

const report = Effect.fnUntraced(function* (refusal: Refusal) {
  yield* Console.error((yield* AsJson) ? toJson({ error: refusal }) : `error: ${refusal.message}`)
})

/** A failure of the machine, or of this program: whoever has to look into it gets all there is. */
const unexpected = (cause: Cause.Cause<unknown>) =>
  report({
    code: "UNEXPECTED",
    message: `${refusalOf(Cause.squash(cause)).message}. "saldo doctor" looks for what is wrong.\n${Cause.pretty(cause)}`
  })

/** Help goes to stdout; what is wrong with a command line goes to stderr, with the way to its help. */
const present = Effect.fnUntraced(function* (event: CliOutput.Presenter.Event) {
  if (event._tag === "InvalidInvocation") {
    return yield* wrongUsage(event.commandPath, event.helpDoc, event.errors.map(faultOf))
  }
  // Where a command is missing a person is answered with help, and a program as ever.
  const unasked = event._tag === "Help" && event.reason === "Implicit"
  if (!(unasked && (yield* AsJson))) return yield* CliOutput.defaultPresenter.present(event)
  const names = event.helpDoc.subcommands?.flatMap(({ commands }) => commands.map(({ name }) => name)) ?? []
  yield* wrongUsage(event.commandPath, event.helpDoc, [`A command is missing: ${names.join(", ")}`])
})

// What the library's own readings say. Every number of the command line is a whole one, and a file that is not there is
// nothing that was expected.
const noNumber = /Expected (?:a string representing a finite number|an integer)$/
const complained = /Expected: (?=(?:File|Path|Failed) )/

const faultOf = ({ message }: CliError.CliError): string =>
  message.replace(noNumber, "Expected: a whole number").replace(complained, "")

const wrongUsage = Effect.fnUntraced(function* (
  path: ReadonlyArray<string>,
  { usage }: HelpDoc.HelpDoc,
  faults: ReadonlyArray<string>
) {
  yield* report({
    code: "WRONG_USAGE",
    message: `${faults.join("\n")}\nUsage: ${usage}\n"${path.join(" ")} --help" tells more.`
  })
})
