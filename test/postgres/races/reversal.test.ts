import { assert, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Duration, Effect, Exit, Fiber, Layer, Result } from "effect"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import { ReversalVerdict, type UnresolvedReversal } from "../../../core/domain/Reversal.ts"
import type { Reversals } from "../../../core/ports/Reversals.ts"
import { holdingLock, inRounds, onItsOwn, racers, racing, waitingForLocks } from "../../support/Concurrency.ts"
import { TestDatabase, violatedInvariants } from "../../support/Database.ts"
import { eventually } from "../../support/Eventually.ts"
import { begunOn, replica, reversalOf, reversalsReplica, soldOut, stateOf } from "../../support/SalesOnPostgres.ts"

const rounds = 300
const centavos = 10_000

type Replica = Reversals["Service"]

const replicas = racing(reversalsReplica)

const stands = { available: 0, held: 0, consumed: centavos, sale: "SUCCESS", credits: 0 }
const reversed = { available: centavos, held: 0, consumed: 0, sale: "REVERSED", credits: 1 }

const settle = (reversals: Replica, unresolved: UnresolvedReversal, verdict: ReversalVerdict) =>
  Effect.flatMap(DateTime.now, (at) => reversals.settle({ unresolved, verdict, at, notFound: 0 }))

/** Begins a reversal and settles it as confirmed. */
const reverse = (reversals: Replica, intent: ReturnType<typeof reversalOf>) =>
  Effect.result(
    Effect.flatMap(reversals.begin(intent), (begun) =>
      begun._tag === "Begun"
        ? Effect.map(settle(reversals, begun.unresolved, ReversalVerdict.Confirm()), ({ won }) =>
            won ? "Won" : "Lost"
          )
        : Effect.succeed(begun._tag)
    )
  )

const answersOf = (results: ReadonlyArray<Result.Result<string, { readonly _tag: string }>>) =>
  results.map((result) => (Result.isSuccess(result) ? result.success : result.failure._tag))

const TestLayer = AuditPostgres.layer.pipe(Layer.provideMerge(TestDatabase))

layer(TestLayer, { excludeTestServices: true, timeout: "2 minutes" })("concurrent reversals of one sale", (it) => {
  // Number of reversals, their keys, the results that the losing reversals may have, and the first company's id.
  it.effect.each([
    [2, "each with its own key", (racer: number) => `r${racer}`, ["RequestInProgress", "NotReversible"], 1],
    [racers, "each with its own key", (racer: number) => `r${racer}`, ["RequestInProgress", "NotReversible"], 1_001],
    [racers, "all with one key", () => "same", ["RequestInProgress", "Replay"], 2_001]
  ] as const)("credit the sale once: %d reversals, %s", ([count, , keyOf, others, first]) =>
    Effect.gen(function* () {
      const ledger = yield* replica
      const reversals = (yield* replicas).slice(0, count)
      yield* inRounds({ count: rounds, first }, (company) =>
        Effect.gen(function* () {
          const order = yield* soldOut(ledger, company, centavos)
          const results = yield* Effect.forEach(
            reversals,
            (each, racer) => reverse(each, reversalOf(order, keyOf(racer))),
            { concurrency: "unbounded" }
          )
          const answers = answersOf(results)
          assert.lengthOf(
            answers.filter((answer) => answer === "Won"),
            1,
            `round ${company}: ${answers}`
          )
          assert.isEmpty(answers.filter((answer) => answer !== "Won" && !others.some((other) => other === answer)))
          assert.deepStrictEqual(yield* stateOf(company), { ...reversed, keys: 1 })
        })
      )
    }).pipe(Effect.scoped)
  )

  it.effect("credit the sale once while eight recovery cycles compete to claim the reversal", () =>
    Effect.gen(function* () {
      const ledger = yield* replica
      const all = yield* replicas
      for (const company of Arr.range(4_001, 4_000 + rounds)) {
        const unresolved = yield* begunOn(all[0], reversalOf(yield* soldOut(ledger, company, centavos), "r"))
        // The reversal's own request is slow, so recovery claims the reversal before the request ends.
        const now = DateTime.add(unresolved.reversal.createdAt, { minutes: 2 })
        const claim = { began: now, now, lease: Duration.minutes(1), limit: 10, which: "due" } as const
        const recover = Effect.fnUntraced(function* (reversals: Replica) {
          const claimed = yield* reversals.claim(claim)
          yield* Effect.forEach(claimed, (each) => settle(reversals, each.unresolved, ReversalVerdict.Confirm()))
          return claimed.length
        })
        const own = company % 2 === 0 ? ReversalVerdict.Hold() : ReversalVerdict.Confirm()
        const [claims] = yield* Effect.all(
          [Effect.forEach(all, recover, { concurrency: "unbounded" }), settle(all[0], unresolved, own)],
          { concurrency: "unbounded" }
        )
        const claimed = Arr.reduce(claims, 0, (sum, each) => sum + each)
        // A Hold by the reversal's own request ends the claim, so a second recovery cycle may claim the reversal.
        assert.isAtMost(claimed, own._tag === "Hold" ? 2 : 1)
        const confirmed = claimed > 0 || own._tag === "Confirm"
        assert.deepStrictEqual(yield* stateOf(company), { ...(confirmed ? reversed : stands), keys: 1 })
        yield* settle(all[0], unresolved, ReversalVerdict.Confirm())
        assert.deepStrictEqual(yield* stateOf(company), { ...reversed, keys: 1 })
      }
    }).pipe(Effect.scoped)
  )

  it.effect("violate no invariant of `saldo audit`", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )
})

layer(TestDatabase, { excludeTestServices: true })(
  "a reversal that is settled while its company moves to another cell",
  (it) => {
    it.effect("fails here, so that it is settled in the other cell", () =>
      Effect.gen(function* () {
        const order = yield* soldOut(yield* replica, 1, centavos)
        const own = yield* onItsOwn(reversalsReplica)
        const begun = yield* own.begin(reversalOf(order, "r1"))
        if (begun._tag !== "Begun") return assert.fail(begun._tag)
        // As move_company: locks the keys, and deletes the rows.
        const { release } = yield* holdingLock(`
        do $$
        begin
          perform from cell.idempotency where company_id = 1 for update;
          delete from cell.reversal where company_id = 1;
        end;
        $$`)
        const settling = yield* Effect.forkChild(Effect.exit(settle(own, begun.unresolved, ReversalVerdict.Confirm())))
        yield* eventually(waitingForLocks, (count) => count > 0)
        yield* release
        assert.isTrue(Exit.isFailure(yield* Fiber.join(settling)))
      })
    )
  }
)
