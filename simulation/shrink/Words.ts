import { createHash } from "node:crypto"
import { DateTime } from "effect"
import { formatLocal } from "../../core/domain/LocalTime.ts"
import type { Line } from "../engine/Trace.ts"
import { beginningOf } from "../ops/Generate.ts"
import type { Op } from "../ops/Op.ts"
import type { Story } from "./Shrink.ts"

const nameOf = (text: string): string => `RD-${createHash("sha256").update(text).digest("hex").slice(0, 24)}`

/** Maps the names of sales and reversals at suppliers to readable names. */
const namesIn = (ops: ReadonlyArray<Op>): ReadonlyMap<string, string> => {
  const names = new Map<string, string>()
  for (const op of ops) {
    if (!("company" in op)) continue
    const keys = "keys" in op ? op.keys : "key" in op ? [op.key] : []
    for (const key of keys) {
      names.set(nameOf(`${op.company}:${key}`), `sale ${key}`)
      names.set(nameOf(`${op.company}:${key}\nanular`), `reversal ${key}`)
    }
  }
  return names
}

const localTime = (seed: number, { at_ms }: Line): string => {
  const instant = beginningOf(seed) + at_ms
  return `${formatLocal(DateTime.makeUnsafe(instant))}.${String(instant % 1000).padStart(3, "0")}`
}

/** The trace of a shrunk failure, one line for each event, with local times and readable names. */
export const linesOf = ({ ops, result }: Story): ReadonlyArray<string> => {
  const names = namesIn(ops)
  const named = (text: string): string => text.replaceAll(/RD-[0-9a-f]{24}/g, (name) => names.get(name) ?? name)
  return result.trace.lines.map(
    (line) => `${localTime(result.seed, line)}  ${line.where.padEnd(8)} ${named(line.what)}`
  )
}

/** A shrunk failure as text. */
export const wordsOfStory = (story: Story): string => {
  const { ops, result, whole } = story
  const { mishaps, seed, violation } = result
  return [
    `Seed ${seed} breaks a law: ${violation?.law}`,
    `${violation?.what}`,
    `Told with ${ops.length} of ${whole.ops} operations and ${mishaps.happened.size} of ${whole.mishaps} mishaps:`,
    ...linesOf(story).map((line) => `  ${line}`)
  ].join("\n")
}
