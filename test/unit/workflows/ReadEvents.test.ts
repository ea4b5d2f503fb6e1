import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Layer } from "effect"
import { Books } from "../../../adapters/memory/Books.ts"
import * as EventsMemory from "../../../adapters/memory/EventsMemory.ts"
import { Sequence } from "../../../core/domain/Event.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { readEvents } from "../../../core/workflows/ReadEvents.ts"
import { makeClock } from "../../support/Clocks.ts"

const hour_ms = 3_600_000

describe("a call that waits for events", () => {
  it.effect("ends after its timeout even if the wall clock is set back by an hour", () => {
    let passed_ms = 0
    const clock = makeClock({
      wall_ms: () => (passed_ms === 0 ? hour_ms : passed_ms),
      monotonic_ns: () => BigInt(passed_ms) * 1_000_000n,
      sleep: (duration) =>
        Effect.suspend(() => {
          passed_ms += Duration.toMillis(duration)
          return passed_ms > hour_ms / 2 ? Effect.die(new Error("the call does not end")) : Effect.void
        })
    })
    return Effect.gen(function* () {
      const wanted = { after: Sequence.make(0), limit: 10 }
      const found = yield* readEvents(CompanyId.make(1), wanted, Duration.seconds(25)).pipe(
        Effect.provideService(Clock.Clock, clock)
      )
      assert.isEmpty(found.events)
      assert.strictEqual(passed_ms, 25_000)
    }).pipe(Effect.provide(EventsMemory.layer.pipe(Layer.provide(Books.layer))))
  })
})
