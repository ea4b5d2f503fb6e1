import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Duration, Effect, Layer } from "effect"
import { type Check, checks } from "../../core/domain/FollowUp.ts"
import { Verdict } from "../../core/domain/Sale.ts"
import { Deliveries } from "../../core/ports/Deliveries.ts"
import { FollowUps } from "../../core/ports/FollowUps.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { Unresolved } from "../../core/ports/Unresolved.ts"
import { Webhooks } from "../../core/ports/Webhooks.ts"
import { claim as claimDeliveries, delivered as deliveredEvent, record } from "../support/DeliveriesOnPostgres.ts"
import { intentOf, opened, reservedOrder } from "../support/SalesOnPostgres.ts"
import { cellOf, portsOfCells, ThreeCells } from "./ThreeCells.ts"
import { depositWithEvent } from "./Trade.ts"

const lease = Duration.minutes(1)
const delivered = Verdict.Confirm({ delivery: { authCode: "AUTH-77", rechargeToken: null } })

/** Makes the given number of production sales, and settles each with the verdict. */
const sell = Effect.fnUntraced(function* (company: number, sales: number, verdict: Verdict) {
  const ledger = yield* Ledger
  yield* opened(ledger, company, 100_000)
  yield* Effect.forEach(Arr.range(1, sales), (number) =>
    Effect.gen(function* () {
      const intent = { ...intentOf(company, `k${number}`, 100), environment: "production" as const }
      const order = yield* reservedOrder(ledger, intent)
      yield* ledger.settle({ order, verdict, at: yield* DateTime.now, notFound: 0 })
    })
  )
})

/** Hides the tables of a cell while an effect runs. */
const withoutCell = <A, E, R>(cell: string, work: Effect.Effect<A, E, R>) =>
  PgClient.PgClient.use((sql) =>
    Effect.acquireUseRelease(
      sql`alter schema ${sql(cell)} rename to hidden`,
      () => work,
      () => Effect.orDie(sql`alter schema hidden rename to ${sql(cell)}`)
    )
  )

const TestLayer = Layer.provideMerge(portsOfCells, ThreeCells)

layer(TestLayer, { excludeTestServices: true, timeout: "2 minutes" })("background work over three cells", (it) => {
  it.effect("claims each unresolved sale once, from one cell after the other, and skips a cell that fails", () =>
    Effect.gen(function* () {
      yield* sell(300, 9, Verdict.Hold())
      yield* sell(301, 2, Verdict.Hold())
      yield* sell(302, 2, Verdict.Hold())
      const { claim } = yield* Unresolved
      const now = DateTime.add(yield* DateTime.now, { hours: 1 })
      const claimed = (limit: number) =>
        Effect.map(claim({ began: now, now, lease, limit, which: "all" }), (sales) =>
          sales.map(({ order }) => `${order.companyId} ${order.transactionId}`)
        )
      const countsOf = (sales: ReadonlyArray<string>) =>
        [300, 301, 302].map((company) => sales.filter((sale) => sale.startsWith(`${company} `)).length)

      // Each claim begins with a different cell, so that the many sales of one cell do not delay the sales of another cell.
      const first = [yield* claimed(2), yield* claimed(2), yield* claimed(2)]
      assert.deepStrictEqual(
        first
          .map(countsOf)
          .map((counts) => counts.join(" "))
          .sort(),
        ["0 0 2", "0 2 0", "2 0 0"]
      )
      const second = yield* withoutCell("norte", claimed(5))
      assert.deepStrictEqual(countsOf(second), [5, 0, 0])
      const third = yield* claimed(5)
      const all = [...first.flat(), ...second, ...third]
      assert.deepStrictEqual(countsOf(all), [9, 2, 2])
      assert.strictEqual(new Set(all).size, 13)
    })
  )

  it.effect("claims each settled sale of all cells once for a later check", () =>
    Effect.gen(function* () {
      for (const company of [303, 304, 305]) yield* sell(company, 4, delivered)
      const followUps = yield* FollowUps
      const [check] = checks as readonly [Check, ...ReadonlyArray<Check>]
      const now = DateTime.add(yield* DateTime.now, { hours: 1, minutes: 1 })
      const claim = followUps.claim({ check, began: now, now, lease, limit: 5 })
      const asked: Array<number> = []
      const lasts: Array<boolean> = []
      for (let isLast = false; !isLast; lasts.push(isLast)) {
        const claimed = yield* claim
        if (claimed === null) return assert.fail("the check is claimed")
        assert.isAtMost(claimed.sales.length, 5)
        for (const sale of claimed.sales) assert.isTrue(yield* followUps.stands(sale))
        // During the claim, another process gets only sales that the claim left out.
        const others = yield* claim
        assert.isEmpty(
          (others?.sales ?? []).filter(({ order }) => claimed.sales.some((own) => own.order.xid === order.xid))
        )
        yield* others?.finish(false) ?? Effect.void
        asked.push(...claimed.sales.map(({ order }) => order.transactionId))
        yield* claimed.finish(true)
        isLast = claimed.isLast
      }
      assert.lengthOf(asked, 12)
      assert.strictEqual(new Set(asked).size, 12)
      assert.isAbove(lasts.length, 2)
      assert.deepStrictEqual((yield* claim)?.sales, [])
    })
  )

  it.effect("claims the same sales again if the questions about them could not be sent", () =>
    Effect.gen(function* () {
      const followUps = yield* FollowUps
      const check = checks[1]
      if (check === undefined) return assert.fail("there is no second check")
      const now = DateTime.add(yield* DateTime.now, { hours: 7 })
      const claim = followUps.claim({ check, began: now, now, lease, limit: 100 })
      const claimed = yield* claim
      yield* claimed?.finish(false) ?? Effect.void
      const again = yield* claim
      const idsOf = (sales = claimed?.sales ?? []) => sales.map(({ order }) => order.transactionId).sort()
      assert.deepStrictEqual(idsOf(again?.sales), idsOf())
      assert.isNull(yield* claim)
    })
  )

  it.effect("sends the events of all cells, and receives notifications of each cell", () =>
    Effect.gen(function* () {
      const server = { deliveries: yield* Deliveries, webhooks: yield* Webhooks }
      const companies = [306, 307, 308]
      for (const company of companies) yield* depositWithEvent(company, 1)
      const claimed = yield* claimDeliveries(server, 100)
      assert.sameMembers(
        claimed.map(({ event }) => event.companyId),
        companies
      )
      for (const each of claimed) yield* record(server, each, deliveredEvent)
      assert.deepStrictEqual(yield* claimDeliveries(server, 100), [])
      assert.strictEqual(new Set(companies.map(cellOf)).size, 3)
    })
  )
})
