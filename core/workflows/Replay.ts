import { DateTime, Effect } from "effect"
import { type Replay, Replays } from "../ports/Histories.ts"
import { InFlight } from "./InFlight.ts"

/** The response to a sale or reversal, and whether it was replayed. */
export interface Replayable<Outcome> {
  readonly outcome: Outcome
  readonly replayed: boolean
}

/** Replays a stored response. The replay is recorded in the background. */
export const replay = Effect.fnUntraced(function* <Outcome>(outcome: Outcome, subject: Omit<Replay, "at">) {
  const { record } = yield* Replays
  const { start } = yield* InFlight
  yield* start(record({ ...subject, at: yield* DateTime.now }))
  return { outcome, replayed: true } satisfies Replayable<Outcome>
})
