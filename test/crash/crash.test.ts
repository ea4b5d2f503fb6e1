import { assert, describe, it } from "@effect/vitest"
import { Effect, References } from "effect"
import { TestConsole } from "effect/testing"
import { runCrashTest } from "./Crash.ts"
import { faultKinds } from "./Faults.ts"
import { crashPoints } from "./processes/CrashPoints.ts"

const rounds = 20

describe("servers and a Postgres that crash under load", () => {
  it.live(
    "lose nothing, double nothing, and contradict nobody, wherever and however they crash",
    () =>
      Effect.gen(function* () {
        const run = yield* runCrashTest({ rounds, seed: 1 })
        // On a machine that is busy with something else a mishap may come too late for its point, but hardly twice.
        const isWhole = run.missed.length === 0 && run.missedKinds.length === 0
        const runs = isWhole ? [run] : [run, yield* runCrashTest({ rounds, seed: 2 })]
        assert.sameMembers([...new Set(runs.flatMap(({ reached }) => reached))], [...crashPoints])
        assert.sameMembers([...new Set(runs.flatMap((each) => each.kinds))], [...faultKinds])
        // It crashed while something was going on.
        assert.isAtLeast(run.errands, rounds * 40)
        assert.isAtLeast(run.unanswered, rounds)
      }).pipe(Effect.provide(TestConsole.layer), Effect.provideService(References.MinimumLogLevel, "None")),
    20 * 60_000
  )
})
