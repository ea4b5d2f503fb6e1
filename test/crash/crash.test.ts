import { assert, describe, it } from "@effect/vitest"
import { Effect, References } from "effect"
import { TestConsole } from "effect/testing"
import { runCrashTest } from "./Crash.ts"
import { faultKinds } from "./Faults.ts"
import { crashPoints } from "./processes/CrashPoints.ts"

describe("servers and Postgres that crash under load", () => {
  it.live(
    "lose no money and no event, deliver nothing twice and keep every response true, at every crash point and under every fault",
    () =>
      Effect.gen(function* () {
        const run = yield* runCrashTest({ rounds: 20, seed: 1 })
        const rounds = run.rounds + run.furtherRounds
        assert.sameMembers([...run.reached], [...crashPoints])
        assert.sameMembers([...run.kinds], [...faultKinds])
        // The servers crashed under load: many operations ran, and some calls got no response.
        assert.isAtLeast(run.operations, rounds * 40)
        assert.isAtLeast(run.unanswered, rounds)
        assert.isAtLeast(run.storedEvents, rounds * 10)
        assert.isAtLeast(run.receivedEvents, run.storedEvents)
        // At least nine midnights passed, and three companies were closed after each.
        assert.isAtLeast(run.closings, 27)
      }).pipe(Effect.provide(TestConsole.layer), Effect.provideService(References.MinimumLogLevel, "None")),
    40 * 60_000
  )
})
