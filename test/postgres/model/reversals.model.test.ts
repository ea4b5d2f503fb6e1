import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compareLife, Postgres } from "./CompareLedgers.ts"
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

/** A cycle of recovery that asks about what is due, and hears nothing firm. */
const asked = { do: "claim reversals", which: "due", ahead_s: 0, lease_s: 60, verdict: "Hold" } as const
const askedOfSale = { ...asked, do: "claim" } as const

/** What was told of each command, as far as a row says: how many were asked about, or by what name. */
const told = (answer: unknown) => {
  if (Array.isArray(answer)) return answer.length
  const { answered, outcome, refused } = Object(answer)
  return refused ?? answered?._tag ?? outcome?._tag ?? outcome ?? null
}

layer(Postgres, { excludeTestServices: true })("a reversal in Postgres, as in the model,", (it) => {
  // What happens -> what the last commands are told.
  it.effect.each([
    [
      "answers its key for as long as nobody knows how it ends, and a day after that",
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
      "is asked about at its own times, also before the lease of the last question would have ended",
      [
        ...sold,
        begun,
        settleReversal("Hold"),
        wait(5 * second_ms),
        asked,
        wait(10 * second_ms),
        asked,
        wait(15 * second_ms),
        asked
      ],
      [1, null, 1, null, 1]
    ],
    [
      "is asked about soon, however long ago it was sold",
      [...sold, wait(4 * hour_ms), begun, settleReversal("Hold"), wait(5 * second_ms), asked],
      [1]
    ],
    [
      "is its own call's until that must have ended",
      [...sold, begun, asked, wait(minute_ms - 1), asked, wait(1), asked],
      [0, null, 0, null, 1]
    ],
    [
      "is no longer waited for under its key when its call has been lost for long",
      [...sold, begun, wait(15 * minute_ms), begun, wait(1), begun],
      ["RequestInProgress", null, "IdempotencyConflict"]
    ],
    [
      "tells nobody the answer of a sale that has its key since it was not sent",
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
      const answers = yield* compareLife("2026-03-02T12:00:00.000Z", life)
      assert.deepStrictEqual(answers.slice(-expected.length).map(told), expected)
    })
  )

  it.effect("waits for no lease that its sale had", () =>
    Effect.gen(function* () {
      const life = [...reserved, settle("Hold"), wait(5 * second_ms), askedOfSale, wait(10 * second_ms), askedOfSale]
      const answers = yield* compareLife("2026-03-02T12:00:00.000Z", life)
      assert.deepStrictEqual(answers.slice(-3).map(told), [1, null, 1])
    })
  )
})
