/** Something that somebody outside was told to do, under a name of ours. */
export interface ExternalOperation {
  readonly name: string
  /** How often it was really done. Once is right. */
  done: number
  refused: number
  /** Orders that have arrived and are not decided yet. */
  undecided: number
  /** Until when no question about it is answered firmly. */
  muteUntil_ms: number
  /** Whether a firm answer about it was untrue. */
  lied: boolean
}

/** How an operation stands. */
export type Standing = "unknown" | "undecided" | "done" | "refused"

/** What somebody outside has been told to do, and what was done of it: the truth that our books must come to. */
export class GroundTruth {
  readonly all = new Map<string, ExternalOperation>()

  of(name: string): ExternalOperation {
    const known = this.all.get(name) ?? { name, done: 0, refused: 0, undecided: 0, muteUntil_ms: 0, lied: false }
    this.all.set(name, known)
    return known
  }

  standing(name: string): Standing {
    const operation = this.all.get(name)
    if (operation === undefined) return "unknown"
    if (operation.done > 0) return "done"
    if (operation.undecided > 0) return "undecided"
    return operation.refused > 0 ? "refused" : "unknown"
  }
}
