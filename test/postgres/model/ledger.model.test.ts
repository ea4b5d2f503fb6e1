import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { violatedInvariants } from "../../support/Database.ts"
import { forRandomValues, randomTimeout_ms } from "../../support/RandomValues.ts"
import { compareScenario, Postgres } from "./CompareLedgers.ts"
import { type Command, type ReversalVerdictTag, scenario, type VerdictTag } from "./LedgerCommands.ts"

const day_ms = 24 * 60 * 60 * 1_000
const sale = { company: 0, key: "a", prefix: "RD", body: "aa", centavos: 1_000, bill: null }
const again = { ...sale, key: "e" }

/** The commands of a sale that is settled with this verdict. */
const sold = (verdict: VerdictTag): ReadonlyArray<Command> => [
  { do: "deposit", company: 0, centavos: 10_000, reference: "r0" },
  { do: "reserve", sale },
  { do: "settle", which: 0, verdict, notFound: 0 }
]
/** The commands of a delivered sale and of its reversal, under another key, that is settled with this verdict. */
const reversed = (verdict: ReversalVerdictTag): ReadonlyArray<Command> => [
  ...sold("Confirm"),
  { do: "reverse", reversal: { company: 0, key: "e", which: 0 } },
  { do: "settle reversal", which: 0, verdict, notFound: 0 }
]
const dayLater: Command = { do: "wait", for_ms: day_ms + 1 }

layer(Postgres, { excludeTestServices: true })("the ledger in Postgres", (it) => {
  // How the key was used, the commands, and the error of `recall` and `reserve` one day later.
  it.effect.each([
    ["was used for a sale", sold("Confirm"), sale, "IdempotencyConflict"],
    [
      "was used for a sale before XID_PREFIX changed",
      sold("Confirm"),
      { ...sale, prefix: "SV" },
      "IdempotencyConflict"
    ],
    ["was used for a refused sale", sold("Release"), sale, "IdempotencyConflict"],
    ["was used for a sale that did not reach the provider", sold("Free"), sale, null],
    ["was used for a reversal", reversed("Confirm"), again, "IdempotencyConflict"],
    ["was used for a denied reversal", reversed("Deny"), again, "IdempotencyConflict"],
    ["was used for a reversal that did not reach the provider", reversed("Free"), again, null]
  ] as const)(
    "has the same result of `recall` and `reserve` for a key that %s more than a day ago",
    ([, life, sale, refused]) =>
      Effect.gen(function* () {
        const asked: ReadonlyArray<Command> = [
          { do: "recall", sale },
          { do: "reserve", sale }
        ]
        const answers = yield* compareScenario("2026-03-02T12:00:00.000Z", [...life, dayLater, ...asked])
        const refusals = answers.slice(-2).map((answer) => Object(answer).refused ?? null)
        assert.deepStrictEqual(refusals, [refused, refused])
      })
  )

  const reserved: ReadonlyArray<Command> = [
    { do: "deposit", company: 0, centavos: 10_000, reference: "r0" },
    { do: "reserve", sale }
  ]

  // Verdicts and not-found counts of successive settlements, and the status of the sale after each of them.
  it.effect.each([
    [
      "the second consecutive answer releases the sale",
      [
        ["Hold", 1],
        ["Release", 2]
      ],
      ["PENDING", "FAILED"]
    ],
    [
      "a release is ignored when its count is not one more than the stored count",
      [
        ["Hold", 1],
        ["Hold", 0],
        ["Release", 2]
      ],
      ["PENDING", "PENDING", "PENDING"]
    ],
    [
      "a late lower count does not replace the stored count",
      [
        ["Hold", 1],
        ["Hold", 2],
        ["Hold", 1],
        ["Release", 3]
      ],
      ["PENDING", "PENDING", "PENDING", "FAILED"]
    ],
    [
      "a definite refusal releases the sale, regardless of the stored count",
      [
        ["Hold", 1],
        ["Release", 0]
      ],
      ["PENDING", "FAILED"]
    ],
    [
      "a delivery confirms the sale, regardless of the stored count",
      [
        ["Hold", 1],
        ["Confirm", 5]
      ],
      ["PENDING", "SUCCESS"]
    ]
  ] as const)("counts consecutive not-found answers: %s", ([, settlements, expected]) =>
    Effect.gen(function* () {
      const after = settlements.map(([verdict, notFound]): Command => ({ do: "settle", which: 0, verdict, notFound }))
      const answers = yield* compareScenario("2026-03-02T12:00:00.000Z", [...reserved, ...after])
      assert.deepStrictEqual(
        answers.slice(reserved.length).map((answer) => Object(answer).status),
        [...expected]
      )
    })
  )

  // The lease of this claim expires before its recovery cycle settles. Meanwhile a second cycle claims the operation
  // and may reset the count. The count alone therefore does not show that the first cycle is late.
  const expired = { ahead_s: 61, lease_s: 5, which: "all", verdict: null } as const

  // The operation, the commands that prepare it, and the command that claims it. Then the verdict after the second
  // not-found answer, and the final status.
  it.effect.each([
    ["a sale", reserved, { do: "claim" }, { do: "settle", verdict: "Release" }, "FAILED"],
    ["a reversal", reversed("Hold"), { do: "claim reversals" }, { do: "settle reversal", verdict: "Deny" }, "DENIED"]
  ] as const)(
    "ignores a conclusion from not-found answers about %s under an expired claim, even if the count matches",
    ([, before, claiming, second, after]) =>
      Effect.gen(function* () {
        const claim = { ...claiming, ...expired }
        const later: Command = { do: "wait", for_ms: 6_000 }
        // `ago` is the number of claims made after the claim of this settlement.
        const hold = (notFound: number, ago: number): Command => ({
          ...second,
          verdict: "Hold",
          which: 0,
          notFound,
          claim: ago
        })
        const conclude = (ago: number): Command => ({ ...second, which: 0, notFound: 2, claim: ago })
        const life = [claim, hold(1, 0), later, claim, later, claim, conclude(1), hold(2, 1), conclude(0)]
        const answers = yield* compareScenario("2026-03-02T12:00:00.000Z", [...before, ...life])
        assert.deepStrictEqual(
          answers.slice(-3).map((answer) => [Object(answer).won, Object(answer).status]),
          [
            [false, "PENDING"],
            [false, "PENDING"],
            [true, after]
          ]
        )
      })
  )

  it.effect("does not deny a reversal because of a late not-found count", () =>
    Effect.gen(function* () {
      const settled = (verdict: ReversalVerdictTag, notFound: number): Command => ({
        do: "settle reversal",
        which: 0,
        verdict,
        notFound
      })
      const begun = reversed("Hold")
      const after = [settled("Hold", 1), settled("Hold", 0), settled("Deny", 2), settled("Hold", 1), settled("Deny", 2)]
      const answers = yield* compareScenario("2026-03-02T12:00:00.000Z", [...begun, ...after])
      assert.deepStrictEqual(
        answers.slice(begun.length).map((answer) => Object(answer).status),
        ["PENDING", "PENDING", "PENDING", "PENDING", "DENIED"]
      )
    })
  )

  const retried = (verdict: VerdictTag): ReadonlyArray<Command> => [
    ...sold("Free"),
    { do: "reserve", sale },
    { do: "settle", which: 1, verdict, notFound: 0 }
  ]

  // The history of a sale, the statuses of the sales that a later check covers, and whether a later answer is about them.
  it.effect.each([
    ["was delivered", sold("Confirm"), ["SUCCESS"], [true]],
    ["was refused", sold("Release"), ["FAILED"], [true]],
    ["is unresolved", sold("Hold"), [], []],
    ["was not sent, and then delivered under the same xid", retried("Confirm"), ["FAILED", "SUCCESS"], [false, true]],
    ["was not sent, and then refused under the same xid", retried("Release"), ["FAILED", "FAILED"], [false, true]],
    ["is being reversed", reversed("Hold"), ["SUCCESS"], [false]],
    ["was not reversed", reversed("Deny"), ["SUCCESS"], [true]],
    ["was reversed", reversed("Confirm"), [], []]
  ] as const)("knows whether a later answer is about a sale that %s", ([, life, statuses, stand]) =>
    Effect.gen(function* () {
      const follow: Command = { do: "follow up", check: 0, ahead_s: 0, lease_s: 60, crashes: false }
      const hour: Command = { do: "wait", for_ms: 3_600_000 }
      const answers = yield* compareScenario("2026-03-02T12:00:00.000Z", [...life, hour, follow])
      const { sales, stand: stands } = Object(answers.at(-1))
      assert.deepStrictEqual(
        sales.map(({ status }: { readonly status: string }) => status),
        statuses
      )
      assert.deepStrictEqual(stands, stand)
    })
  )

  it.effect(
    "gives the same results as the ledger in memory in random scenarios of two companies",
    () =>
      Effect.gen(function* () {
        yield* forRandomValues(scenario, 100, ({ begins, commands }) => compareScenario(begins, commands))
        assert.deepStrictEqual(yield* violatedInvariants, [])
      }),
    randomTimeout_ms
  )
})
