import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { ReversalVerdict } from "../../core/domain/Reversal.ts"
import { behindProxy } from "../support/BehindProxy.ts"
import { cuts } from "../support/CuttingProxy.ts"
import { TestDatabase } from "../support/Database.ts"
import { begunOn, replica, reversalOf, reversalsReplica, soldOut } from "../support/Sales.ts"

const stateOf = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql`
    select
      b.available::int as available,
      (select t.status from cell.transaction as t where t.company_id = b.company_id) as sale,
      (select array_agg(v.status) from cell.reversal as v where v.company_id = b.company_id) as reversals,
      (select array_agg(e.amount::int order by e.id) from cell.entry as e where e.company_id = b.company_id) as entries
    from cell.balance as b
    where b.company_id = ${company}`
  return row
})

layer(TestDatabase, { excludeTestServices: true })("a connection cut", (it) => {
  it.effect.each(cuts)("%s of the beginning of a reversal leaves one, and the caller has it", (cut) =>
    Effect.gen(function* () {
      const company = cuts.indexOf(cut) + 1
      const order = yield* soldOut(yield* replica, company, 4_000)
      const { connected, proxy } = yield* behindProxy
      const reversals = yield* Effect.provide(reversalsReplica, connected)
      proxy.arm(cut, "the-key")
      const begun = yield* reversals.begin(reversalOf(order, "the-key"))
      assert.strictEqual(proxy.cuts(), 1)
      assert.strictEqual(begun._tag, "Begun")
      assert.deepStrictEqual(yield* stateOf(company), {
        available: 0,
        sale: "SUCCESS",
        reversals: ["PROCESSING"],
        entries: [4_000, -4_000]
      })
    }).pipe(Effect.scoped)
  )

  it.effect("after the beginning of a reversal, as it is read, leaves it to the caller all the same", () =>
    Effect.gen(function* () {
      const order = yield* soldOut(yield* replica, 21, 4_000)
      const { connected, proxy } = yield* behindProxy
      const reversals = yield* Effect.provide(reversalsReplica, connected)
      proxy.arm("before COMMIT", "reversal_created_at")
      const begun = yield* reversals.begin(reversalOf(order, "the-key"))
      assert.strictEqual(proxy.cuts(), 1)
      assert.strictEqual(begun._tag, "Begun")
    }).pipe(Effect.scoped)
  )

  it.effect.each(cuts)("%s of the settlement of a reversal gives back once, and the caller hears it", (cut) =>
    Effect.gen(function* () {
      const company = cuts.indexOf(cut) + 11
      const order = yield* soldOut(yield* replica, company, 4_000)
      const { connected, proxy } = yield* behindProxy
      const reversals = yield* Effect.provide(reversalsReplica, connected)
      const under = yield* begunOn(reversals, reversalOf(order, "the-key"))
      proxy.arm(cut, "AUTH-77")
      const settled = yield* reversals.settle({
        under,
        verdict: ReversalVerdict.Confirm(),
        at: yield* DateTime.now,
        notFound: 0
      })
      assert.strictEqual(proxy.cuts(), 1)
      assert.deepStrictEqual([settled.status, settled.outcome?._tag], ["CONFIRMED", "Reversed"])
      assert.deepStrictEqual(yield* stateOf(company), {
        available: 4_000,
        sale: "REVERSED",
        reversals: ["CONFIRMED"],
        entries: [4_000, -4_000, 4_000]
      })
    }).pipe(Effect.scoped)
  )
})
