import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { CompanyId } from "../../core/domain/Ids.ts"
import { Amount } from "../../core/domain/Money.ts"
import { Verdict } from "../../core/domain/Sale.ts"
import { behindProxy } from "../support/BehindProxy.ts"
import { cuts } from "../support/CuttingProxy.ts"
import { TestDatabase } from "../support/Database.ts"
import { intentOf, opened, replica, reservedOrder } from "../support/Sales.ts"

const moneyOf = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql`
    select
      b.available::int as available,
      b.held::int as held,
      (select array_agg(t.status) from cell.transaction as t where t.company_id = b.company_id) as sales,
      (select array_agg(e.amount::int order by e.id) from cell.entry as e where e.company_id = b.company_id) as entries
    from cell.balance as b
    where b.company_id = ${company}`
  return row
})

layer(TestDatabase, { excludeTestServices: true })("a connection cut", (it) => {
  it.effect.each(cuts)("%s of a reservation leaves one sale, and the caller has it", (cut) =>
    Effect.gen(function* () {
      const company = cuts.indexOf(cut) + 1
      const { connected, proxy } = yield* behindProxy
      const ledger = yield* Effect.provide(replica, connected)
      yield* opened(ledger, company, 10_000)
      proxy.arm(cut, "the-key")
      const answer = yield* ledger.reserve(intentOf(company, "the-key", 4_000))
      assert.strictEqual(proxy.cuts(), 1)
      assert.strictEqual(answer._tag, "Reservation")
      assert.deepStrictEqual(yield* moneyOf(company), {
        available: 6_000,
        held: 4_000,
        sales: ["PROCESSING"],
        entries: [10_000]
      })
    }).pipe(Effect.scoped)
  )

  it.effect.each(cuts)("%s of a settlement charges once, and the caller hears it", (cut) =>
    Effect.gen(function* () {
      const company = cuts.indexOf(cut) + 11
      const { connected, proxy } = yield* behindProxy
      const ledger = yield* Effect.provide(replica, connected)
      yield* opened(ledger, company, 10_000)
      const order = yield* reservedOrder(ledger, intentOf(company, "the-key", 4_000))
      proxy.arm(cut, "AUTH-77")
      const verdict = Verdict.Confirm({ delivery: { authCode: "AUTH-77", rechargeToken: null } })
      const settled = yield* ledger.settle({ order, verdict, at: yield* DateTime.now, notFound: 0 })
      assert.strictEqual(proxy.cuts(), 1)
      assert.strictEqual(settled.status, "SUCCESS")
      assert.strictEqual(settled.outcome?._tag, "Delivered")
      assert.deepStrictEqual(yield* moneyOf(company), {
        available: 6_000,
        held: 0,
        sales: ["SUCCESS"],
        entries: [10_000, -4_000]
      })
    }).pipe(Effect.scoped)
  )

  it.effect.each(cuts)("%s of a deposit records it once", (cut) =>
    Effect.gen(function* () {
      const company = cuts.indexOf(cut) + 21
      const { connected, proxy } = yield* behindProxy
      const ledger = yield* Effect.provide(replica, connected)
      proxy.arm(cut, "ref-991")
      yield* ledger.deposit({
        companyId: CompanyId.make(company),
        amount: Amount.make(10_000),
        reference: "ref-991",
        at: yield* DateTime.now
      })
      assert.strictEqual(proxy.cuts(), 1)
      assert.deepInclude(yield* moneyOf(company), { available: 10_000, held: 0, entries: [10_000] })
    }).pipe(Effect.scoped)
  )
})

layer(TestDatabase, { excludeTestServices: true })("a group", (it) => {
  it.effect("answers the neighbours of a sale that the database refuses", () =>
    Effect.gen(function* () {
      const ledger = yield* replica
      yield* opened(ledger, 1, 100_000)
      yield* ledger.reserve(intentOf(1, "first", 1_000))
      // A second live sale of one xid: the unique index stops it, and with it the statement that carries it.
      const impossible = { ...intentOf(1, "second", 1_000), xid: "RD-1-first" }
      const [refused, ...neighbours] = yield* Effect.forEach(
        [impossible, intentOf(1, "third", 1_000), intentOf(1, "fourth", 1_000)],
        (intent) => Effect.exit(ledger.reserve(intent)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(refused?._tag, "Failure")
      assert.deepStrictEqual(
        neighbours.map(({ _tag }) => _tag),
        ["Success", "Success"]
      )
      assert.deepInclude(yield* moneyOf(1), { available: 97_000, held: 3_000 })
    }).pipe(Effect.scoped)
  )
})
