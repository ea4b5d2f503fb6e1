import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { Audit } from "../../../core/ports/Audit.ts"
import { compareLife, Postgres } from "./CompareLedgers.ts"
import { type Command, life, type ReversalVerdictTag, type VerdictTag } from "./LedgerCommands.ts"
import type { Ports } from "./LedgerSide.ts"

const day_ms = 24 * 60 * 60 * 1_000
const sale = { company: 0, key: "a", prefix: "RD", body: "aa", centavos: 1_000, bill: null }
const again = { ...sale, key: "e" }

/** A sale, and what becomes of it; then its reversal by another key, and what becomes of that. */
const sold = (verdict: VerdictTag): ReadonlyArray<Command> => [
  { do: "deposit", company: 0, centavos: 10_000, reference: "r0" },
  { do: "reserve", sale },
  { do: "settle", which: 0, verdict, notFound: 0 }
]
const reversed = (verdict: ReversalVerdictTag): ReadonlyArray<Command> => [
  ...sold("Confirm"),
  { do: "reverse", reversal: { company: 0, key: "e", which: 0 } },
  { do: "settle reversal", which: 0, verdict, notFound: 0 }
]
const dayLater: Command = { do: "wait", for_ms: day_ms + 1 }

/** A counterexample is made smaller, which takes longer than to find it. */
const timeout_ms = 300_000

layer(Postgres, { excludeTestServices: true })("the ledger in Postgres", (it) => {
  // A life -> what a key is told by a recall, and by a reservation right after it.
  it.effect.each([
    ["sold", sold("Confirm"), sale, "IdempotencyConflict"],
    [
      "sold by another xid, before XID_PREFIX was changed,",
      sold("Confirm"),
      { ...sale, prefix: "SV" },
      "IdempotencyConflict"
    ],
    ["was refused a sale", sold("Release"), sale, "IdempotencyConflict"],
    ["was surely not sent", sold("Free"), sale, null],
    ["gave a sale back", reversed("Confirm"), again, "IdempotencyConflict"],
    ["was denied a reversal", reversed("Deny"), again, "IdempotencyConflict"],
    ["could not send a reversal", reversed("Free"), again, null]
  ] as const)("tells a key that %s more than a day ago by recall what reserve would", ([, life, sale, refused]) =>
    Effect.gen(function* () {
      const asked: ReadonlyArray<Command> = [
        { do: "recall", sale },
        { do: "reserve", sale }
      ]
      const answers = yield* compareLife("2026-03-02T12:00:00.000Z", [...life, dayLater, ...asked])
      const told = answers.slice(-2).map((answer) => Object(answer).refused ?? null)
      assert.deepStrictEqual(told, [refused, refused])
    })
  )

  const reserved: ReadonlyArray<Command> = [
    { do: "deposit", company: 0, centavos: 10_000, reference: "r0" },
    { do: "reserve", sale }
  ]

  // Counts that are written one after the other, each upon what it was told -> how the sale stands after each.
  it.effect.each([
    [
      "the next count is kept, and the one after it releases",
      [
        ["Hold", 1],
        ["Release", 2]
      ],
      ["PENDING", "FAILED"]
    ],
    [
      "a release that was counted before another heard something else is late",
      [
        ["Hold", 1],
        ["Hold", 0],
        ["Release", 2]
      ],
      ["PENDING", "PENDING", "PENDING"]
    ],
    [
      "a count that was outrun leaves the other's",
      [
        ["Hold", 1],
        ["Hold", 2],
        ["Hold", 1],
        ["Release", 3]
      ],
      ["PENDING", "PENDING", "PENDING", "FAILED"]
    ],
    [
      "what the provider said itself is never late",
      [
        ["Hold", 1],
        ["Release", 0]
      ],
      ["PENDING", "FAILED"]
    ],
    [
      "a delivery is never late",
      [
        ["Hold", 1],
        ["Confirm", 5]
      ],
      ["PENDING", "SUCCESS"]
    ]
  ] as const)("counts not-founds in a row: %s", ([, settlements, expected]) =>
    Effect.gen(function* () {
      const after = settlements.map(([verdict, notFound]): Command => ({ do: "settle", which: 0, verdict, notFound }))
      const answers = yield* compareLife("2026-03-02T12:00:00.000Z", [...reserved, ...after])
      assert.deepStrictEqual(
        answers.slice(reserved.length).map((answer) => Object(answer).status),
        [...expected]
      )
    })
  )

  // Two recoveries: the first to claim sleeps over its lease, hears that nobody knows of it, and writes so last. The
  // second may have heard something else meanwhile, upon which its count is what it was when the first claimed.
  const overslept = { ahead_s: 61, lease_s: 5, which: "all", verdict: null } as const

  // Before it -> the claim, what a second not-found concludes, and how it then stands.
  it.effect.each([
    ["a sale", reserved, { do: "claim" }, { do: "settle", verdict: "Release" }, "FAILED"],
    ["a reversal", reversed("Hold"), { do: "claim reversals" }, { do: "settle reversal", verdict: "Deny" }, "DENIED"]
  ] as const)(
    "concludes nothing of %s upon a claim that was outlived, though the count is what it was",
    ([, before, claiming, second, after]) =>
      Effect.gen(function* () {
        const claim = { ...claiming, ...overslept }
        const later: Command = { do: "wait", for_ms: 6_000 }
        // Each is told how many claims ago its own was.
        const hold = (notFound: number, ago: number): Command => ({
          ...second,
          verdict: "Hold",
          which: 0,
          notFound,
          claim: ago
        })
        const conclude = (ago: number): Command => ({ ...second, which: 0, notFound: 2, claim: ago })
        const life = [claim, hold(1, 0), later, claim, later, claim, conclude(1), hold(2, 1), conclude(0)]
        const answers = yield* compareLife("2026-03-02T12:00:00.000Z", [...before, ...life])
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

  it.effect("denies no reversal by a count that is late", () =>
    Effect.gen(function* () {
      const settled = (verdict: ReversalVerdictTag, notFound: number): Command => ({
        do: "settle reversal",
        which: 0,
        verdict,
        notFound
      })
      const begun = reversed("Hold")
      const after = [settled("Hold", 1), settled("Hold", 0), settled("Deny", 2), settled("Hold", 1), settled("Deny", 2)]
      const answers = yield* compareLife("2026-03-02T12:00:00.000Z", [...begun, ...after])
      assert.deepStrictEqual(
        answers.slice(begun.length).map((answer) => Object(answer).status),
        ["PENDING", "PENDING", "PENDING", "PENDING", "DENIED"]
      )
    })
  )

  it.effect(
    "answers as the model does, whatever happens to two companies",
    () =>
      Effect.gen(function* () {
        const context = yield* Effect.context<Ports | Audit>()
        const run = Effect.runPromiseWith(context)
        const property = fc.asyncProperty(life, ({ begins, commands }) =>
          run(Effect.asVoid(compareLife(begins, commands)))
        )
        yield* Effect.promise(() => fc.assert(property, { numRuns: 100 }))
        const examined = yield* Audit.use((audit) => audit.prove)
        assert.deepStrictEqual(
          examined.filter(({ violations }) => violations > 0),
          []
        )
      }),
    timeout_ms
  )
})
