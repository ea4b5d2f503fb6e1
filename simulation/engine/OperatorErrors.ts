import { Effect } from "effect"

/**
 * Resolutions in which operators state a false result. Before a resolution, Saldo asks the supplier once more. A firm
 * answer stops a false resolution; any other answer lets it pass.
 */
export class OperatorErrors {
  private readonly said = new Set<string>()
  /**
   * Number of questions to the supplier without a firm answer, by name. Several operators may resolve the same sale at
   * once.
   */
  private readonly unstopped = new Map<string, number>()

  /** Records that an operator states a false result of this sale or reversal. */
  add(name: string): void {
    this.said.add(name)
  }

  /** Whether money may have moved because of a false statement. */
  prevailed(name: string): boolean {
    return (this.unstopped.get(name) ?? 0) > 0
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
    this.unstopped.set(name, (this.unstopped.get(name) ?? 0) + change)
  }
}
