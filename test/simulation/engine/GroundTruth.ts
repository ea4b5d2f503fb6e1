import { Effect } from "effect"

/** An operation at an external service: a delivery, a reversal or a message. Its name is the one that Saldo gave it. */
export interface ExternalOperation {
  readonly name: string
  /** How often the external service performed it. More than once violates an invariant. */
  done: number
  refused: number
  /** Number of orders that arrived and are not decided yet. */
  undecided: number
  /** Until this time, the external service gives no firm answer about the operation. */
  silentUntil_ms: number
  /** Whether the external service gave a firm answer that was false. */
  answeredFalsely: boolean
}

/** The state of an operation at the external service. */
export type Standing = "unknown" | "undecided" | "done" | "refused"

/**
 * What external services were ordered to do, and what they really did. In the end, Saldo's books must agree with it.
 */
export class GroundTruth {
  readonly all = new Map<string, ExternalOperation>()

  of(name: string): ExternalOperation {
    const known = this.all.get(name) ?? {
      name,
      done: 0,
      refused: 0,
      undecided: 0,
      silentUntil_ms: 0,
      answeredFalsely: false
    }
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

/**
 * Resolutions in which operators state a false result. Before a resolution, Saldo asks the supplier once more. A firm
 * answer stops a false resolution; any other answer lets it pass.
 */
export class OperatorMistakes {
  private readonly said = new Set<string>()
  /**
   * Number of questions to the supplier without a firm answer, by name. Several operators may resolve the same sale at
   * once.
   */
  private readonly withoutFirmAnswer = new Map<string, number>()

  /** Records that an operator states a false result of this sale or reversal. */
  add(name: string): void {
    this.said.add(name)
  }

  /** Whether money may have moved because of a false statement. */
  prevailed(name: string): boolean {
    return (this.withoutFirmAnswer.get(name) ?? 0) > 0
  }

  /** Watches the question to the supplier that precedes a resolution. */
  checked<A>(name: string, question: Effect.Effect<A>, isFirm: (answer: A) => boolean): Effect.Effect<A> {
    if (!this.said.has(name)) return question
    this.count(name, 1)
    return Effect.tap(question, (answer) =>
      Effect.sync(() => {
        if (isFirm(answer)) this.count(name, -1)
      })
    )
  }

  private count(name: string, change: number): void {
    this.withoutFirmAnswer.set(name, (this.withoutFirmAnswer.get(name) ?? 0) + change)
  }
}
