import { Console, Effect, Option } from "effect"
import { CliConfig, type CliError, CliOutput, type GlobalFlag, type HelpDoc } from "effect/cli"
import type { Refusal } from "./Refusals.ts"
import { AsJson, toJson, wantsJson } from "./terminal/Output.ts"

/**
 * Answers a command line as every program of this project does: help goes to stdout; what is wrong with a command line
 * goes to stderr with its usage, in JSON if that is asked for.
 */
export const withUsage =
  (args: ReadonlyArray<string>, builtIns: ReadonlyArray<GlobalFlag.BuiltIn>) =>
  <A, E, R>(running: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    running.pipe(
      Effect.provideService(CliOutput.Presenter, { present }),
      Effect.provideService(AsJson, wantsJson(args)),
      Effect.provideService(CliConfig.CliConfig, { builtIns })
    )

/** Says on stderr why nothing was done. */
export const report = Effect.fnUntraced(function* (refusal: Refusal) {
  yield* Console.error((yield* AsJson) ? toJson({ error: refusal }) : `error: ${refusal.message}`)
})

const present = Effect.fnUntraced(function* (event: CliOutput.Presenter.Event) {
  if (event._tag === "Version") return yield* CliOutput.defaultPresenter.present(event)
  const helpDoc = spelledOut(event.helpDoc)
  if (event._tag === "InvalidInvocation")
    return yield* wrongUsage(event.commandPath, helpDoc, event.errors.map(faultOf))
  // Where a command is missing a person is answered with help, and a program as ever.
  const unasked = event.reason === "Implicit"
  if (!(unasked && (yield* AsJson))) return yield* CliOutput.defaultPresenter.present({ ...event, helpDoc })
  const names = helpDoc.subcommands?.flatMap(({ commands }) => commands.map(({ name }) => name)) ?? []
  yield* wrongUsage(event.commandPath, helpDoc, [`A command is missing: ${names.join(", ")}`])
})

/** The library knows what is required, and leaves it to the reader to find out. */
const spelledOut = (help: HelpDoc.HelpDoc): HelpDoc.HelpDoc => ({
  ...help,
  usage: help.usage.replace("[flags]", [...help.flags.map(formOf), "[--json]"].join(" ")),
  flags: help.flags.map(marked),
  ...(help.args && { args: help.args.map(marked) })
})

const formOf = ({ name, required, type }: HelpDoc.FlagDoc): string => {
  const form = type === "boolean" ? `--${name}` : `--${name} ${type}`
  return required ? form : `[${form}]`
}

const marked = <Doc extends HelpDoc.ArgDoc | HelpDoc.FlagDoc>(doc: Doc): Doc =>
  doc.required ? { ...doc, description: Option.map(doc.description, (text) => `${text} (required)`) } : doc

// What the library's own readings say. Every number of the command line is a whole one, a file that is not there is
// nothing that was expected, and which command it is the usage says.
const noNumber = /Expected (?:a string representing a finite number|an integer)$/
const complained = /Expected: (?=(?:File|Path|Failed) )/
const inCommand = /(?<=^Unrecognized flag: \S+) in command .*/

const faultOf = ({ message }: CliError.CliError): string =>
  message.replace(noNumber, "Expected: a whole number").replace(complained, "").replace(inCommand, "")

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
