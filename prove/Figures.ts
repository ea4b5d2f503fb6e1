import { inWords } from "../tools/Progress.ts"
import type { Caught } from "./Part.ts"
import type { Proven } from "./Prove.ts"

/** What was run, on what, and what came of it. */
export interface Proof {
  /** When it began, and how it is begun again. */
  readonly at: string
  readonly command: string
  readonly seconds: number
  /** All parts, each in its long form. */
  readonly isWhole: boolean
  readonly commit: string
  readonly machine: string
  readonly software: string
  readonly parts: ReadonlyArray<Proven>
}

const begin = "<!-- figures: written by npm run prove -->"
const end = "<!-- end of the figures -->"

/** Text that a cell of a table can hold. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim()

const row = (cells: ReadonlyArray<string>): string => `| ${cells.map(cell).join(" | ")} |`

const resultOf = ({ again, broken, command }: Proven): string =>
  broken === null ? "held" : `**BROKEN**: ${broken}. Again: \`${again ?? command}\``

const partRow = (proven: Proven): string => {
  const { command, counts, digest, seconds } = proven
  return row([`\`${command}\``, counts, inWords(seconds), resultOf(proven), digest === null ? "" : `\`${digest}\``])
}

const caughtRow = ({ bug, law, on, seed }: Caught): string => row([bug, on, String(seed), law])

/** Each planted bug, and what caught it. */
const bugs = ({ parts }: Proof): ReadonlyArray<string> => {
  const caught = parts.flatMap((part) => part.caught ?? [])
  return caught.length === 0
    ? []
    : [
        "",
        row(["Planted bug", "On", "Seed", "The law that caught it"]),
        row(["---", "---", "---", "---"]),
        ...caught.map(caughtRow)
      ]
}

/** The figures for a reader. */
export const figuresOf = (proof: Proof): string => {
  const { at, command, commit, isWhole, machine, parts, seconds, software } = proof
  return [
    ...(isWhole ? [] : ["Not the long form, but a trial.", ""]),
    row(["", ""]),
    row(["---", "---"]),
    row(["run", `${at}, \`${command}\`, ${inWords(seconds)}`]),
    row(["code", commit]),
    row(["machine", machine]),
    row(["software", software]),
    "",
    row(["Command", "What was run", "Time", "Result", "Digest"]),
    row(["---", "---", "---", "---", "---"]),
    ...parts.map(partRow),
    ...bugs(proof)
  ].join("\n")
}

/** The page with other figures; null if it has no place for them. */
export const withFigures = (page: string, figures: string): string | null => {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) return null
  return `${page.slice(0, from + begin.length)}\n\n${figures}\n\n${page.slice(to)}`
}
