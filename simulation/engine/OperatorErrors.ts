import { Effect } from "effect"

/**
 * What operators say that is not so. A firm answer of the supplier, who is asked once more, stops them; whatever else
 * comes of that question, what they say will be done.
 */
export class OperatorErrors {
  private readonly said = new Set<string>()
  /**
   * How many questions about it were not answered firmly, or are not answered yet: several operators may be at it at
   * once.
   */
  private readonly unstopped = new Map<string, number>()

  /** An operator says of the sale or reversal of this name what is not so. */
  add(name: string): void {
    this.said.add(name)
  }

  /** May the money have followed what was said? */
  prevailed(name: string): boolean {
    return (this.unstopped.get(name) ?? 0) > 0
  }

  /** The question that is put before what operators say is done. */
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
