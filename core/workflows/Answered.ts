/** The response to a sale or reversal, and whether it was replayed. */
export interface Answered<Outcome> {
  readonly outcome: Outcome
  readonly replayed: boolean
}
