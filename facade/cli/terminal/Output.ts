import { Console, Context, Effect, Schema } from "effect"
import { CliOutput, GlobalFlag } from "effect/cli"
import { toggle } from "./Flags.ts"

/** What a command answers with --json: numbers in pesos, names as on the wire. */
export type Document = Readonly<Record<string, unknown>>

/** Whether the answer, and an error, is to be one JSON document. */
export const AsJson = Context.Reference<boolean>("saldo/facade/cli/AsJson", { defaultValue: () => false })

// Known to the parser and shown in every --help; what it says is read before anything else, so that wrong usage too is
// answered in JSON.
export const jsonFlag = GlobalFlag.Setting("json")({
  flag: toggle("json", "Print one JSON document, and errors as JSON too")
})

export const wantsJson = (args: ReadonlyArray<string>): boolean =>
  args.some((arg) => /^--json(?:=(?:true|1|y|yes|on))?$/.test(arg))

export const toJson = (document: Document): string => JSON.stringify(document, null, 2)

/** Prints what a command did: the document with --json, otherwise the words for a person. */
export const print = Effect.fnUntraced(function* (document: Document, words: string) {
  yield* Console.log((yield* AsJson) ? toJson(document) : words)
})

/** Columns as wide as their widest cell. */
export const table = (rows: ReadonlyArray<Document>): string => {
  const names = Object.keys(rows[0] ?? {})
  const lines = [names, ...rows.map((row) => names.map((name) => cell(row[name])))]
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
export const card = (document: Document): string =>
  Object.entries(document)
    .map(([name, value]) => `${name}: ${cell(value)}`)
    .join("\n")

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return "-"
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map(cell).join(", ")
  if (typeof value !== "object") return String(value)
  return Object.entries(value)
    .map(([name, part]) => `${name} ${cell(part)}`)
    .join(", ")
}

/** What was asked to be checked does not hold. It has been printed; only the exit code is left to say. */
export class CheckFailed extends Schema.TaggedError<CheckFailed>()("CheckFailed", {}) {}
