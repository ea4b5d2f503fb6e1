import { DateTime, Effect } from "effect"
import { type Replay, Replays } from "../ports/Replays.ts"
import type { Answered } from "./Answered.ts"
import { InFlight } from "./InFlight.ts"

/** Replays a stored response. The replay is recorded in the background. */
export const replay = Effect.fnUntraced(function* <Outcome>(outcome: Outcome, whose: Omit<Replay, "at">) {
  const { record } = yield* Replays
  const { start } = yield* InFlight
  yield* start(record({ ...whose, at: yield* DateTime.now }))
  return { outcome, replayed: true } satisfies Answered<Outcome>
})
