import { type Duration, Effect } from "effect"
import { recover } from "../../core/workflows/Recover.ts"
import { OwnTime } from "../../tools/world/OwnTime.ts"
import { getFrom } from "../request/HttpRequest.ts"
import type { Send } from "../request/Line.ts"
import { crowdedAddress } from "../story/Play.ts"
import { addressCalls_max } from "../world/World.ts"
import { type Common, type Lane, openLane, tell } from "./Lane.ts"

const lanes_n = 6

/** After so many requests all begins anew, with other companies: what one look has to see stays small. */
export const generation_max = 6_000

/** What passes between the parts of a generation: pending sales end, then quotes and options, then keys. */
const gaps: ReadonlyArray<Duration.Input> = ["20 seconds", "31 minutes", "25 hours"]

/** Counts requests that were made. */
export type Tick = (requests: number) => Effect.Effect<void>

/** Uses up the calls of an address, until the next minute. */
const crowd = (send: Send) =>
  Effect.replicateEffect(send(getFrom(crowdedAddress, "/v1/estado")), addressCalls_max, { discard: true })

/** Tells stories in a lane until it has made so many requests. */
const tellUntil = Effect.fnUntraced(function* (lane: Lane, requests: number, tick: Tick) {
  while (lane.requests < requests) yield* tick(yield* tell(lane))
})

/** Makes so many requests by companies of their own, a part of them before each gap. */
export const generation = Effect.fnUntraced(function* (common: Common, number: number, requests: number, tick: Tick) {
  const { pass } = yield* OwnTime
  const lanes = yield* Effect.forEach(Array.from({ length: lanes_n }), (_, lane) =>
    openLane(common, number * lanes_n + lane)
  )
  const share = requests / (lanes_n * (gaps.length + 1))
  for (const [part, gap] of [null, ...gaps].entries()) {
    if (gap !== null) yield* Effect.andThen(pass(gap), recover("due"))
    yield* crowd(common.send)
    yield* Effect.forEach(lanes, (lane) => tellUntil(lane, share * (part + 1), tick), {
      concurrency: "unbounded",
      discard: true
    })
  }
})
