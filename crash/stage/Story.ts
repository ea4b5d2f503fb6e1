/** What happened in a round, in the order in which it was noticed. */
export class Story {
  readonly #began_ms = performance.now()
  readonly lines: Array<string> = []

  tell(what: string): void {
    const at_ms = Math.round(performance.now() - this.#began_ms)
    this.lines.push(`${String(at_ms).padStart(6)} ms  ${what}`)
  }
}
