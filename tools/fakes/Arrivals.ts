import { Effect } from "effect"

/** Counts what has come to a fake, so that a test can wait for it instead of sleeping. */
export class Arrivals {
  #count = 0
  readonly #listeners = new Set<() => void>()

  arrive(): void {
    this.#count++
    for (const listener of this.#listeners) listener()
  }

  /** Waits until so many requests have come. */
  reach(count: number): Effect.Effect<void> {
    return Effect.callback((resume) => {
      const look = () => {
        if (this.#count < count) return
        this.#listeners.delete(look)
        resume(Effect.void)
      }
      this.#listeners.add(look)
      look()
    })
  }
}
