import { type Document, formatTable } from "../../facade/cli/terminal/Output.ts"
import { formatDuration } from "../support/Progress.ts"
import type { CaughtMutant } from "./Parts.ts"
import type { PartProof } from "./Prove.ts"

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
  readonly parts: ReadonlyArray<PartProof>
}

const begin = "<!-- figures: written by npm run prove -->"
const end = "<!-- end of the figures -->"

/** Text that a cell of a table can hold. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim()

const row = (cells: ReadonlyArray<string>): string => `| ${cells.map(cell).join(" | ")} |`

const resultOf = ({ again, broken, command }: PartProof): string =>
  broken === null ? "held" : `**BROKEN**: ${broken}. Again: \`${again ?? command}\``

const partRow = (proven: PartProof): string => {
  const { command, counts, digest, seconds } = proven
  return row([
    `\`${command}\``,
    counts,
    formatDuration(seconds),
    resultOf(proven),
    digest === null ? "" : `\`${digest}\``
  ])
}

const caughtRow = ({ bug, law, on, seed }: CaughtMutant): string => row([bug, on, String(seed), law])

/** Each planted bug, and what caught it. */
const bugs = ({ parts }: Proof): ReadonlyArray<string> => {
  const caught = parts.flatMap((part) => part.caught ?? [])
  return caught.length === 0
    ? []
    : [
        "",
        row(["Planted bug", "On", "Seed", "Invariant that caught it"]),
        row(["---", "---", "---", "---"]),
        ...caught.map(caughtRow)
      ]
}

/** The figures for a reader. */
export const proofTables = (proof: Proof): string => {
  const { at, command, commit, isWhole, machine, parts, seconds, software } = proof
  return [
    ...(isWhole ? [] : ["Not the long form, but a trial.", ""]),
    row(["", ""]),
    row(["---", "---"]),
    row(["run", `${at}, \`${command}\`, ${formatDuration(seconds)}`]),
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
export const replaceTables = (page: string, figures: string): string | null => {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) return null
  return `${page.slice(0, from + begin.length)}\n\n${figures}\n\n${page.slice(to)}`
}

const failureLines = ({ again, broken, command, name }: PartProof): ReadonlyArray<string> =>
  broken === null ? [] : [`BROKEN  ${name}: ${broken}`, `        again: ${again ?? command}`]

/** Whether everything held. */
export const everythingHeld = ({ parts }: Proof): boolean => parts.every(({ broken }) => broken === null)

/** What came of it, for a terminal: what did not hold comes last, with the commands that show it again. */
export const proofText = (proof: Proof): string => {
  const { parts, seconds } = proof
  const rows = parts.map(
    ({ broken, counts, digest, name, seconds }): Document => ({
      part: name,
      "what was run": counts,
      time: formatDuration(seconds),
      digest,
      "": broken === null ? "held" : "BROKEN"
    })
  )
  const failed = parts.flatMap(failureLines)
  const end = failed.length === 0 ? [`Everything held, in ${formatDuration(seconds)}.`] : failed
  return [formatTable(rows), "", ...end].join("\n")
}
