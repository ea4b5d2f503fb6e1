import { type Document, formatTable } from "../../facade/cli/terminal/Output.ts"
import { formatDuration } from "../support/Progress.ts"
import type { CaughtMutant } from "./Parts.ts"
import type { PartProof } from "./Prove.ts"

/** A finished proof: its parts, its environment and its results. */
export interface Proof {
  /** Start time of the run, and the command that repeats it. */
  readonly at: string
  readonly command: string
  readonly seconds: number
  /** Whether all parts ran at full size. */
  readonly isWhole: boolean
  readonly commit: string
  readonly machine: string
  readonly software: string
  readonly parts: ReadonlyArray<PartProof>
}

const begin = "<!-- results: written by npm run prove -->"
const end = "<!-- end of the results -->"

/** Escapes a text for a cell of a Markdown table. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim()

const row = (cells: ReadonlyArray<string>): string => `| ${cells.map(cell).join(" | ")} |`

const resultOf = ({ again, broken, command }: PartProof): string =>
  broken === null ? "held" : `**BROKEN**: ${broken}. Reproduce: \`${again ?? command}\``

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

const caughtRow = ({ bug, invariant, on, seed }: CaughtMutant): string => row([bug, on, String(seed), invariant])

/** Table of the planted bugs and the invariants that caught them. */
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

/** The results as Markdown tables. */
export const proofTables = (proof: Proof): string => {
  const { at, command, commit, isWhole, machine, parts, seconds, software } = proof
  return [
    ...(isWhole ? [] : ["A trial, not a full run.", ""]),
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

/** Replaces the tables in the page; null if the page lacks the markers. */
export const replaceTables = (page: string, results: string): string | null => {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) return null
  return `${page.slice(0, from + begin.length)}\n\n${results}\n\n${page.slice(to)}`
}

const failureLines = ({ again, broken, command, name }: PartProof): ReadonlyArray<string> =>
  broken === null ? [] : [`BROKEN  ${name}: ${broken}`, `        reproduce: ${again ?? command}`]

/** Whether every part held, which means that no part found a violation. */
export const everythingHeld = ({ parts }: Proof): boolean => parts.every(({ broken }) => broken === null)

/** The results as text. Violations come last, with the commands that reproduce them. */
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
  const end = failed.length === 0 ? [`Every part held in ${formatDuration(seconds)}.`] : failed
  return [formatTable(rows), "", ...end].join("\n")
}
