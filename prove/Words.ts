import { type Document, table } from "../facade/cli/terminal/Output.ts"
import { inWords } from "../tools/Progress.ts"
import type { Proof } from "./Figures.ts"
import type { Proven } from "./Prove.ts"

const failureOf = ({ again, broken, command, name }: Proven): ReadonlyArray<string> =>
  broken === null ? [] : [`BROKEN  ${name}: ${broken}`, `        again: ${again ?? command}`]

/** Whether everything held. */
export const holds = ({ parts }: Proof): boolean => parts.every(({ broken }) => broken === null)

/** What came of it, for a terminal: what did not hold comes last, with the commands that show it again. */
export const wordsOf = (proof: Proof): string => {
  const { parts, seconds } = proof
  const rows = parts.map(
    ({ broken, counts, digest, name, seconds }): Document => ({
      part: name,
      "what was run": counts,
      time: inWords(seconds),
      digest,
      "": broken === null ? "held" : "BROKEN"
    })
  )
  const failed = parts.flatMap(failureOf)
  const end = failed.length === 0 ? [`Everything held, in ${inWords(seconds)}.`] : failed
  return [table(rows), "", ...end].join("\n")
}
