/** How a sale or a reversal was answered, and whether the answer is that of an earlier call. */
export interface Answered<Outcome> {
  readonly outcome: Outcome
  readonly replayed: boolean
}
