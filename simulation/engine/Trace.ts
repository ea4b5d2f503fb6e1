import { createHash } from "node:crypto"
import type { Fault } from "../faults/Fault.ts"

/** One event of a run. */
export interface Line {
  readonly at_ms: number
  /** The process, the operation, or "outside" for an external service. */
  readonly where: string
  readonly what: string
  /** The fault, if the event is one. */
  readonly fault?: Fault
}

/** The balance of a company after a write. */
export interface Sample {
  /** Number of trace lines before the sample. */
  readonly line: number
  readonly companyId: number
  readonly available: number
  readonly held: number
}

/** All events of a run, in order. Equal digests mean identical traces. */
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
