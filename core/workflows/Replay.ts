import { DateTime, Effect } from "effect"
import { type Replay, Replays } from "../ports/Replays.ts"
import type { Answered } from "./Answered.ts"
import { InFlight } from "./InFlight.ts"

/** Replays the answer of an earlier call. That it was replayed is recorded too, and no caller waits for the record. */
export const replay = Effect.fnUntraced(function* <Outcome>(outcome: Outcome, whose: Omit<Replay, "at">) {
  const { record } = yield* Replays
  const { start } = yield* InFlight
  yield* start(record({ ...whose, at: yield* DateTime.now }))
  return { outcome, replayed: true } satisfies Answered<Outcome>
})
