import { Console, Context, Effect, Option, Schema, Stream } from "effect"
import { CliConfig, type CliError, CliOutput, GlobalFlag, type HelpDoc } from "effect/cli"
import { ReportProgress } from "../../../core/ports/Progress.ts"
import { toggle } from "./Flags.ts"
import { withProgress } from "./Progress.ts"

/** A command's result as JSON: amounts in pesos, field names as in the API. */
export type Document = Readonly<Record<string, unknown>>

/** Whether results and errors are printed as one JSON document. */
export const AsJson = Context.Reference<boolean>("saldo/facade/cli/AsJson", { defaultValue: () => false })

// This declaration serves only the parser and the help. `wantsJson` looks for the flag before the command line is
// parsed, so that wrong usage is also reported as JSON.
export const jsonFlag = GlobalFlag.Setting("json")({
  flag: toggle("json", "Print results and errors as one JSON document")
})

const wantsJson = (args: ReadonlyArray<string>): boolean =>
  args.some((arg) => /^--json(?:=(?:true|1|y|yes|on))?$/.test(arg))

const toJson = (document: Document): string => JSON.stringify(document, null, 2)

/** Prints a command's result: the document with --json, otherwise the text. */
export const print = Effect.fnUntraced(function* (document: Document, words: string) {
  yield* Console.log((yield* AsJson) ? toJson(document) : words)
})

/** Number of lines between two reports of the progress. */
const reportedLines = 100

/**
 * Prints the lines of a CSV file as they are read, or with --json all of them in one document.
 *
 * @param total the number of lines, for the progress. Null if it is unknown.
 */
export const printCsv = Effect.fnUntraced(
  function* <E, R>(lines: Stream.Stream<string, E, R>, total: number | null = null) {
    if (yield* AsJson) return yield* print({ csv: yield* Stream.mkString(lines) }, "")
    const report = yield* ReportProgress
    let done = 0
    yield* Stream.runForEach(lines, (line) => {
      done += 1
      // Each line ends in CR LF. Removes the LF, because the console adds one.
      const printed = Console.log(line.slice(0, -1))
      return done % reportedLines === 0 ? Effect.andThen(printed, report(done, total)) : printed
    })
  },
  withProgress("printing rows", { isPrinting: true })
)

/** A table with columns as wide as their widest cell. */
export const formatTable = (rows: ReadonlyArray<Document>): string => {
  const names = Object.keys(rows[0] ?? {})
  const lines = [names, ...rows.map((row) => names.map((name) => formatValue(row[name])))]
  const widths = names.map((_, column) => Math.max(...lines.map((line) => CliOutput.displayWidth(line[column] ?? ""))))
  return lines
    .map((line) =>
      line
        .map((text, column) => text + " ".repeat((widths[column] ?? 0) - CliOutput.displayWidth(text)))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** A document as lines of `name: value`. */
export const formatFields = (document: Document): string =>
  Object.entries(document)
    .map(([name, value]) => `${name}: ${formatValue(value)}`)
    .join("\n")

const formatValue = (value: unknown): string => {
  if (value === null || value === undefined) return "-"
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map(formatValue).join(", ")
  if (typeof value !== "object") return String(value)
  return Object.entries(value)
    .map(([name, part]) => `${name} ${formatValue(part)}`)
    .join(", ")
}

/** A check failed. Its result is already printed; this error only sets the exit code. */
export class CheckFailed extends Schema.TaggedError<CheckFailed>()("CheckFailed", {}) {}

/** Prints help to stdout. Prints wrong usage to stderr with a usage line, or as JSON with --json. */
export const withUsage =
  (args: ReadonlyArray<string>, builtIns: ReadonlyArray<GlobalFlag.BuiltIn>) =>
  <A, E, R>(running: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    running.pipe(
      Effect.provideService(CliOutput.Presenter, { present: presentHelp }),
      Effect.provideService(AsJson, wantsJson(args)),
      Effect.provideService(CliConfig.CliConfig, { builtIns })
    )

/** An error for the operator: a code for scripts and a message that states the next step. */
export interface Refusal {
  readonly code: string
  readonly message: string
  readonly details?: Document
}

/** Prints a refusal to stderr. */
export const printRefusal = Effect.fnUntraced(function* (refusal: Refusal) {
  yield* Console.error((yield* AsJson) ? toJson({ error: refusal }) : `error: ${refusal.message}`)
})

const presentHelp = Effect.fnUntraced(function* (event: CliOutput.Presenter.Event) {
  if (event._tag === "Version") return yield* CliOutput.defaultPresenter.present(event)
  const helpDoc = withRequiredMarks(event.helpDoc)
  if (event._tag === "InvalidInvocation")
    return yield* printWrongUsage(event.commandPath, helpDoc, event.errors.map(usageFault))
  // Without a subcommand, prints the help, or an error with --json.
  const unasked = event.reason === "Implicit"
  if (!(unasked && (yield* AsJson))) return yield* CliOutput.defaultPresenter.present({ ...event, helpDoc })
  const names = helpDoc.subcommands?.flatMap(({ commands }) => commands.map(({ name }) => name)) ?? []
  yield* printWrongUsage(event.commandPath, helpDoc, [`A command is missing: ${names.join(", ")}`])
})

/** Marks required flags and arguments in the help, which the library does not do. */
const withRequiredMarks = (help: HelpDoc.HelpDoc): HelpDoc.HelpDoc => ({
  ...help,
  usage: help.usage.replace("[flags]", [...help.flags.map(flagUsage), "[--json]"].join(" ")),
  flags: help.flags.map(markRequired),
  ...(help.args && { args: help.args.map(markRequired) })
})

const flagUsage = ({ name, required, type }: HelpDoc.FlagDoc): string => {
  const form = type === "boolean" ? `--${name}` : `--${name} ${type}`
  return required ? form : `[${form}]`
}

const markRequired = <Doc extends HelpDoc.ArgDoc | HelpDoc.FlagDoc>(doc: Doc): Doc =>
  doc.required ? { ...doc, description: Option.map(doc.description, (text) => `${text} (required)`) } : doc

// Patterns that simplify the library's error messages. The messages need not say "integer", because every number on
// this command line is one. A missing file is not an "expected" value. The command is left out, because the usage line
// names it.
const numberErrorSuffix = /Expected (?:a string representing a finite number|an integer)$/
const expectedPrefix = /Expected: (?=(?:File|Path|Failed) )/
const commandSuffix = /(?<=^Unrecognized flag: \S+) in command .*/

const usageFault = ({ message }: CliError.CliError): string =>
  message
    .replace(numberErrorSuffix, "Expected: a whole number")
    .replace(expectedPrefix, "")
    .replace(commandSuffix, "")
    .replace("Path does not exist", "File does not exist")

const printWrongUsage = Effect.fnUntraced(function* (
  path: ReadonlyArray<string>,
  { usage }: HelpDoc.HelpDoc,
  faults: ReadonlyArray<string>
) {
  yield* printRefusal({
    code: "WRONG_USAGE",
    message: `${faults.join("\n")}\nUsage: ${usage}\n"${path.join(" ")} --help" shows all options.`
  })
})
