import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { Audit } from "../../core/ports/Audit.ts"
import { type Command, life, type ReversalVerdictTag, type VerdictTag } from "./Commands.ts"
import { live, Postgres } from "./Lives.ts"
import type { Ports } from "./Side.ts"

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
      const answers = yield* live("2026-03-02T12:00:00.000Z", [...life, dayLater, ...asked])
      const told = answers.slice(-2).map((answer) => Object(answer).refused ?? null)
      assert.deepStrictEqual(told, [refused, refused])
    })
  )

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
      const before: ReadonlyArray<Command> = [
        { do: "deposit", company: 0, centavos: 10_000, reference: "r0" },
        { do: "reserve", sale }
      ]
      const after = settlements.map(([verdict, notFound]): Command => ({ do: "settle", which: 0, verdict, notFound }))
      const answers = yield* live("2026-03-02T12:00:00.000Z", [...before, ...after])
      assert.deepStrictEqual(
        answers.slice(2).map((answer) => Object(answer).status),
        [...expected]
      )
    })
  )

  // Two recoveries: the first to claim sleeps over its lease, hears that nobody knows of it, and writes so last. The
  // second has heard something else meanwhile, upon which its count is what it was when the first claimed.
  const overslept = { ahead_s: 61, lease_s: 5, which: "all", verdict: null } as const
  const again_ms = 6_000

  it.effect("releases nothing upon a claim that was outlived, though the count is what it was", () =>
    Effect.gen(function* () {
      const settled = (verdict: VerdictTag, notFound: number, claim: number): Command => ({
        do: "settle",
        which: 0,
        verdict,
        notFound,
        claim
      })
      const before: ReadonlyArray<Command> = [
        { do: "deposit", company: 0, centavos: 10_000, reference: "r0" },
        { do: "reserve", sale }
      ]
      const claim: Command = { do: "claim", ...overslept }
      const after: ReadonlyArray<Command> = [
        claim,
        settled("Hold", 1, 0),
        { do: "wait", for_ms: again_ms },
        claim,
        { do: "wait", for_ms: again_ms },
        claim,
        settled("Release", 2, 1),
        settled("Hold", 2, 1),
        settled("Release", 2, 0)
      ]
      const answers = yield* live("2026-03-02T12:00:00.000Z", [...before, ...after])
      assert.deepStrictEqual(
        answers.slice(-3).map((answer) => [Object(answer).won, Object(answer).status]),
        [
          [false, "PENDING"],
          [false, "PENDING"],
          [true, "FAILED"]
        ]
      )
    })
  )

  it.effect("denies no reversal upon a claim that was outlived", () =>
    Effect.gen(function* () {
      const settled = (verdict: ReversalVerdictTag, notFound: number, claim: number): Command => ({
        do: "settle reversal",
        which: 0,
        verdict,
        notFound,
        claim
      })
      const claim: Command = { do: "claim reversals", ...overslept }
      const after: ReadonlyArray<Command> = [
        claim,
        settled("Hold", 1, 0),
        { do: "wait", for_ms: again_ms },
        claim,
        { do: "wait", for_ms: again_ms },
        claim,
        settled("Deny", 2, 1),
        settled("Hold", 2, 1),
        settled("Deny", 2, 0)
      ]
      const answers = yield* live("2026-03-02T12:00:00.000Z", [...reversed("Hold"), ...after])
      assert.deepStrictEqual(
        answers.slice(-3).map((answer) => [Object(answer).won, Object(answer).status]),
        [
          [false, "PENDING"],
          [false, "PENDING"],
          [true, "DENIED"]
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
      const answers = yield* live("2026-03-02T12:00:00.000Z", [...begun, ...after])
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
        const property = fc.asyncProperty(life, ({ begins, commands }) => run(Effect.asVoid(live(begins, commands))))
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
