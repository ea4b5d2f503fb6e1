import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as AccountsPostgres from "../../adapters/postgres/AccountsPostgres.ts"
import * as AdjustmentsPostgres from "../../adapters/postgres/AdjustmentsPostgres.ts"
import * as AuditPostgres from "../../adapters/postgres/AuditPostgres.ts"
import * as LedgerPostgres from "../../adapters/postgres/LedgerPostgres.ts"
import * as ReversalsPostgres from "../../adapters/postgres/ReversalsPostgres.ts"
import * as TransactionsPostgres from "../../adapters/postgres/TransactionsPostgres.ts"
import * as UnresolvedPostgres from "../../adapters/postgres/UnresolvedPostgres.ts"
import { CompanyId } from "../../core/domain/Ids.ts"
import { ReversalVerdict } from "../../core/domain/Reversal.ts"
import { Verdict } from "../../core/domain/Sale.ts"
import { Audit } from "../../core/ports/Audit.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { Reversals } from "../../core/ports/Reversals.ts"
import { TestDatabase } from "../support/Database.ts"
import { type Command, companies, life, type ReversalVerdictTag, type VerdictTag } from "./Commands.ts"
import { look, type Ports, perform, type Side } from "./Side.ts"

const Postgres = Layer.mergeAll(
  LedgerPostgres.layer,
  AccountsPostgres.layer,
  AdjustmentsPostgres.layer,
  ReversalsPostgres.layer,
  TransactionsPostgres.layer,
  UnresolvedPostgres.layer,
  AuditPostgres.layer
).pipe(Layer.provide(SecureRandom.layerWebCrypto), Layer.provide(TestDatabase))

let lives = 0

/** Two ledgers, side by side, with companies that no life before has seen. */
const sides = Effect.gen(function* () {
  const first = ++lives * companies.length
  const companyId = (company: number) => CompanyId.make(first + company)
  const postgres: Side = { ports: yield* Effect.context<Ports>(), orders: [], reversals: [], ids: new Map(), companyId }
  const memory: Side = {
    ports: yield* Layer.build(Layer.fresh(Memory.layer)),
    orders: [],
    reversals: [],
    ids: new Map(),
    companyId
  }
  return { memory, postgres }
})

/** Leaves nothing unresolved that the next life's recovery would find. */
const bury = Effect.fnUntraced(function* ({ orders, reversals }: Side) {
  const at = yield* DateTime.now
  const denied = ReversalVerdict.Deny()
  yield* Effect.forEach(reversals, (under) =>
    Reversals.use((ports) => ports.settle({ under, verdict: denied, at, notFound: 0 }))
  )
  const verdict = Verdict.Release({ refusal: "TRANSACTION_REJECTED" })
  yield* Effect.forEach(orders, (order) => Ledger.use((ledger) => ledger.settle({ order, verdict, at, notFound: 0 })))
})

const live = (begins: string, commands: ReadonlyArray<Command>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(DateTime.toEpochMillis(DateTime.makeUnsafe(begins)))
    const { memory, postgres } = yield* sides
    return yield* Effect.gen(function* () {
      const answers: Array<unknown> = []
      for (const command of commands) {
        const expected = yield* perform(memory, command)
        answers.push(expected)
        // Time passes once, for both.
        if (command.do !== "wait") assert.deepStrictEqual(yield* perform(postgres, command), expected)
      }
      assert.deepStrictEqual(yield* look(postgres), yield* look(memory))
      return answers
    }).pipe(Effect.ensuring(bury(postgres)))
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))

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
