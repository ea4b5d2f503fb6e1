import { DateTime, Effect } from "effect"
import { type Replay, Replays } from "../ports/Replays.ts"
import type { Tell } from "./InFlight.ts"

/** An answer of an earlier call, for another that brought the same key. */
interface Replayed<Outcome> {
  readonly outcome: Outcome
  readonly replayed: true
}

/** Tells a caller what an earlier call was answered, then notes that. The caller does not wait for the note. */
export const tellAgain = Effect.fnUntraced(function* <Outcome>(
  outcome: Outcome,
  whose: Omit<Replay, "at">,
  tell: Tell<Replayed<Outcome>>
) {
  const answered: Replayed<Outcome> = { outcome, replayed: true }
  yield* tell(answered)
  const { record } = yield* Replays
  yield* record({ ...whose, at: yield* DateTime.now })
  return answered
})
