import { Effect } from "effect"

/** An operation at an external service: a delivery, a reversal or a message. Its name is the id that Saldo gave it. */
export interface ExternalOperation {
  readonly name: string
  /** How many times the external service performed the operation. More than once violates an invariant. */
  done: number
  refused: number
  /** Number of orders that have arrived and that the external service has not decided yet. */
  undecided: number
  /** Whether the external service reversed a delivery by itself, long after it had reported the delivery. */
  takenBack: boolean
  /** Until this time, the external service gives no firm answer about the operation. */
  silentUntil_ms: number
  /** Whether the external service gave a firm answer that was false. */
  answeredFalsely: boolean
}

/** The state of an operation at the external service. */
export type Standing = "unknown" | "undecided" | "done" | "refused" | "taken back"

/**
 * The orders that external services received, and the outcome of each order. At the end of a run, Saldo's books must
 * agree with this record.
 */
export class GroundTruth {
  readonly all = new Map<string, ExternalOperation>()

  of(name: string): ExternalOperation {
    const known = this.all.get(name) ?? {
      name,
      done: 0,
      refused: 0,
      undecided: 0,
      takenBack: false,
      silentUntil_ms: 0,
      answeredFalsely: false
    }
    this.all.set(name, known)
    return known
  }

  standing(name: string): Standing {
    const operation = this.all.get(name)
    if (operation === undefined) return "unknown"
    if (operation.takenBack) return "taken back"
    if (operation.done > 0) return "done"
    if (operation.undecided > 0) return "undecided"
    return operation.refused > 0 ? "refused" : "unknown"
  }

  /** Turns a decision into its opposite: takes a delivery back, or delivers what was refused. */
  changeAnswer(name: string): void {
    const operation = this.of(name)
    if (operation.done > 0) operation.takenBack = true
    else operation.done = 1
  }
}

/**
 * Resolutions in which operators state a false result. Before a resolution, Saldo asks the supplier once more. A firm
 * answer prevents a false resolution; any other answer lets it happen.
 */
export class OperatorMistakes {
  private readonly said = new Set<string>()
  /**
   * Number of questions to the supplier that received no firm answer, by name of the sale or reversal. Several
   * operators may resolve the same sale at the same time.
   */
  private readonly withoutFirmAnswer = new Map<string, number>()

  /** Records that an operator states a false result for this sale or reversal. */
  add(name: string): void {
    this.said.add(name)
  }

  /** Whether money may have moved because of a false statement. */
  prevailed(name: string): boolean {
    return (this.withoutFirmAnswer.get(name) ?? 0) > 0
  }

  /** Watches the question that Saldo asks the supplier before a resolution. */
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
