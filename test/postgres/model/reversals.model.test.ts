import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compareScenario, Postgres } from "./CompareLedgers.ts"
import type { Command, ReversalVerdictTag, VerdictTag } from "./LedgerCommands.ts"

const second_ms = 1_000
const minute_ms = 60 * second_ms
const hour_ms = 60 * minute_ms

const sale = { company: 0, key: "a", prefix: "RD", body: "aa", centavos: 1_000, bill: null }
const reversal = { company: 0, key: "e", which: 0 }

const wait = (for_ms: number): Command => ({ do: "wait", for_ms })
const settle = (verdict: VerdictTag): Command => ({ do: "settle", which: 0, verdict, notFound: 0 })
const settleReversal = (verdict: ReversalVerdictTag): Command => ({
  do: "settle reversal",
  which: 0,
  verdict,
  notFound: 0
})
const reserved: ReadonlyArray<Command> = [
  { do: "deposit", company: 0, centavos: 10_000, reference: "r0" },
  { do: "reserve", sale }
]
const sold: ReadonlyArray<Command> = [...reserved, settle("Confirm")]
const begun: Command = { do: "reverse", reversal }

/** A recovery cycle that claims due reversals and gets no definite answer from the provider. */
const recoverReversals = { do: "claim reversals", which: "due", ahead_s: 0, lease_s: 60, verdict: "Hold" } as const
const recoverSales = { ...recoverReversals, do: "claim" } as const

/** A result in short: the number of claimed items, or the name of the outcome. */
const summaryOf = (answer: unknown) => {
  if (Array.isArray(answer)) return answer.length
  const { answered, outcome, refused } = Object(answer)
  return refused ?? answered?._tag ?? outcome?._tag ?? outcome ?? null
}

layer(Postgres, { excludeTestServices: true })("in Postgres and in memory,", (it) => {
  // The title, the commands, and the results of the last commands.
  it.effect.each([
    [
      "a reversal replays its outcome while it is unknown, and for one day after it is settled",
      [
        ...sold,
        begun,
        settleReversal("Hold"),
        wait(25 * hour_ms),
        begun,
        settleReversal("Confirm"),
        wait(23 * hour_ms),
        begun
      ],
      ["Replay", "Pending", null, "Replay"]
    ],
    [
      "a reversal is claimed when it is due, even before the last lease expires",
      [
        ...sold,
        begun,
        settleReversal("Hold"),
        wait(5 * second_ms),
        recoverReversals,
        wait(10 * second_ms),
        recoverReversals,
        wait(15 * second_ms),
        recoverReversals
      ],
      [1, null, 1, null, 1]
    ],
    [
      "a reversal is claimed five seconds after its start, even when the sale is old",
      [...sold, wait(4 * hour_ms), begun, settleReversal("Hold"), wait(5 * second_ms), recoverReversals],
      [1]
    ],
    [
      "a reversal is not claimed in its first minute, while its own request may still run",
      [...sold, begun, recoverReversals, wait(minute_ms - 1), recoverReversals, wait(1), recoverReversals],
      [0, null, 0, null, 1]
    ],
    [
      "a reversal is reported as a conflict instead of in progress 15 minutes after its own request was lost",
      [...sold, begun, wait(15 * minute_ms), begun, wait(1), begun],
      ["RequestInProgress", null, "IdempotencyConflict"]
    ],
    [
      "a reversal returns no outcome when a later sale has its key",
      [
        ...sold,
        begun,
        settleReversal("Free"),
        { do: "reserve", sale: { ...sale, key: "e" } },
        { ...settle("Confirm"), which: 1 },
        settleReversal("Confirm")
      ],
      [null]
    ]
  ] as ReadonlyArray<readonly [string, ReadonlyArray<Command>, ReadonlyArray<unknown>]>)("%s", ([, life, expected]) =>
    Effect.gen(function* () {
      const answers = yield* compareScenario("2026-03-02T12:00:00.000Z", life)
      assert.deepStrictEqual(answers.slice(-expected.length).map(summaryOf), expected)
    })
  )

  it.effect("a sale is claimed when it is due, even before the last lease expires", () =>
    Effect.gen(function* () {
      const life = [...reserved, settle("Hold"), wait(5 * second_ms), recoverSales, wait(10 * second_ms), recoverSales]
      const answers = yield* compareScenario("2026-03-02T12:00:00.000Z", life)
      assert.deepStrictEqual(answers.slice(-3).map(summaryOf), [1, null, 1])
    })
  )
})
