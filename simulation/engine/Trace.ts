import { createHash } from "node:crypto"
import type { Fault } from "../faults/Fault.ts"

/** One thing that happened, and where. */
export interface Line {
  readonly at_ms: number
  /** A life of a process, or a party outside. */
  readonly where: string
  readonly what: string
  /** What went wrong, where that is what happened. */
  readonly fault?: Fault
}

/** What a company owned after something was written. */
export interface Sample {
  /** How many lines there were by then. */
  readonly line: number
  readonly companyId: number
  readonly available: number
  readonly held: number
}

/** All that happened in a run, in order. Two runs are the same to the letter when their digests are. */
export class Trace {
  readonly lines: Array<Line> = []
  readonly money: Array<Sample> = []

  add(line: Line): void {
    this.lines.push(line)
  }

  sample(companyId: number, available: number, held: number): void {
    this.money.push({ line: this.lines.length, companyId, available, held })
  }

  get digest(): string {
    const hash = createHash("sha256")
    for (const { at_ms, what, where } of this.lines) hash.update(`${at_ms}|${where}|${what}\n`)
    return hash.digest("hex").slice(0, 16)
  }
}
