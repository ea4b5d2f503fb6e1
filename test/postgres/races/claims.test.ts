import { PgClient, PgTypes } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Deferred, Duration, Effect, Exit, Fiber, Layer } from "effect"
import * as UnresolvedPostgres from "../../../adapters/postgres/ledger/UnresolvedPostgres.ts"
import { type Order, Verdict } from "../../../core/domain/Sale.ts"
import { type RecoveryClaim, Unresolved } from "../../../core/ports/Unresolved.ts"
import { TestDatabase } from "../../support/Database.ts"
import {
  intentOf,
  opened,
  replica,
  reservedOrder,
  reversalsReplica,
  unanswered
} from "../../support/SalesOnPostgres.ts"

const TestLayer = UnresolvedPostgres.layer.pipe(Layer.provideMerge(TestDatabase))

/** Reserves one sale for each item of `minutes`, and sets its due time to that many minutes ago. */
const dueSales = Effect.fnUntraced(function* (company: number, minutes: ReadonlyArray<number>) {
  const sql = yield* PgClient.PgClient
  const ledger = yield* replica
  const now = yield* DateTime.now
  yield* opened(ledger, company, 100_000)
  return yield* Effect.forEach(minutes, (ago) =>
    Effect.gen(function* () {
      const order = yield* reservedOrder(ledger, intentOf(company, `${ago}`, 100))
      const askAt = DateTime.formatIso(DateTime.subtract(now, { minutes: ago }))
      yield* sql`update cell.transaction set ask_at = ${askAt}::timestamptz where ${isOf(sql, order)}`
      return order
    })
  )
})

const isOf = (sql: PgClient.PgClient, { companyId, transactionId }: Order) =>
  sql`company_id = ${PgTypes.int8(BigInt(companyId))} and id = ${PgTypes.int8(BigInt(transactionId))}`

/** Claims due sales. Returns for each claimed sale the minutes since its due time, in ascending order. */
const claimedSales = Effect.fnUntraced(function* (limit: number) {
  const now = yield* DateTime.now
  const unresolved = yield* Unresolved
  const found = yield* unresolved.claim({ began: now, now, lease: Duration.hours(1), limit, which: "due" })
  return found.map(({ order }) => Number(order.xid.split("-").at(-1))).toSorted()
})

layer(TestLayer, { excludeTestServices: true })("a claim of due sales", (it) => {
  it.effect("skips rows that another transaction has locked, without waiting", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const orders = yield* dueSales(1, [3, 2, 1])
      const locked = yield* Deferred.make<void>()
      const over = yield* Deferred.make<void>()
      const holder =
        yield* sql`select 1 from cell.transaction where ${isOf(sql, Arr.getUnsafe(orders, 1))} for update`.pipe(
          Effect.andThen(Deferred.succeed(locked, undefined)),
          Effect.andThen(Deferred.await(over)),
          Effect.andThen(Effect.fail("rolled back")),
          sql.withTransaction,
          Effect.exit,
          Effect.forkChild
        )
      yield* Deferred.await(locked)
      assert.deepStrictEqual(yield* claimedSales(10), [1, 3])
      yield* Deferred.succeed(over, undefined)
      assert.isTrue(Exit.isFailure(yield* Fiber.join(holder)))
      assert.deepStrictEqual(yield* claimedSales(10), [2])
    }).pipe(Effect.scoped)
  )

  // Not every plan returns the rows in order of time, so the claim must sort them.
  it.effect("takes the oldest sales first, whichever plan Postgres chooses", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* dueSales(2, [2, 7, 4, 8, 1, 6, 3, 5])
      const byScan = Effect.andThen(sql`set local enable_indexscan = off`, sql`set local enable_bitmapscan = off`)
      const scanned = sql.withTransaction(Effect.andThen(byScan, claimedSales(3)))
      assert.deepStrictEqual(
        [yield* scanned, yield* scanned, yield* scanned],
        [
          [6, 7, 8],
          [3, 4, 5],
          [1, 2]
        ]
      )
    }).pipe(Effect.scoped)
  )
})

const now = DateTime.makeUnsafe("2026-03-04T12:00:00.000Z")
const at = (seconds: number) => DateTime.add(now, { seconds })

const claimAt = (seconds: number, which: RecoveryClaim["which"] = "all"): RecoveryClaim => ({
  began: at(seconds),
  now: at(seconds),
  lease: Duration.minutes(1),
  limit: 32,
  which
})

/** Times in the row of a sale or reversal, in seconds from now. Null means that the column is null. */
interface Stamps {
  readonly status: "PENDING" | "PROCESSING"
  readonly ask: number
  readonly asked: number | null
  readonly leased: number | null
}

const stamped = Effect.fnUntraced(function* (company: number, { ask, asked, leased, status }: Stamps) {
  const ledger = yield* replica
  yield* opened(ledger, company, 10_000)
  const order = yield* reservedOrder(ledger, intentOf(company, "sale", 100))
  if (status === "PENDING") yield* ledger.settle({ order, verdict: Verdict.Hold(), at: now, notFound: 0 })
  yield* unanswered(ledger, intentOf(company, "reversed", 100), "reversal")
  const sql = yield* PgClient.PgClient
  const instant = (seconds: number | null) => (seconds === null ? null : DateTime.formatIso(at(seconds)))
  for (const table of ["cell.transaction", "cell.reversal"]) {
    yield* sql`
      update ${sql.literal(table)}
      set ask_at = ${instant(ask)}::timestamptz,
        asked_at = ${instant(asked)}::timestamptz,
        leased_until = ${instant(leased)}::timestamptz
      where company_id = ${company} and status in ('PROCESSING', 'PENDING')`
  }
}, Effect.scoped)

/** Companies with a claimed sale, and companies with a claimed reversal. */
const claimedCompanies = Effect.fnUntraced(function* (claim: RecoveryClaim) {
  const sales = yield* Unresolved.use((unresolved) => unresolved.claim(claim))
  const reversals = yield* Effect.flatMap(reversalsReplica, (each) => each.claim(claim))
  return {
    sales: sales.map(({ order }) => Number(order.companyId)),
    reversals: reversals.map(({ unresolved }) => Number(unresolved.reversal.order.companyId))
  }
}, Effect.scoped)

layer(TestLayer, { excludeTestServices: true, timeout: "2 minutes" })("a sale with times from a wrong clock", (it) => {
  let companies = 0

  const hour = 3_600
  // Times of the sale, whether `saldo reconcile` claims it, whether a recovery cycle for due sales claims it.
  it.effect.each([
    [{ status: "PENDING", ask: hour, asked: hour, leased: null }, true, false],
    [{ status: "PENDING", ask: -1, asked: hour, leased: hour }, true, true],
    [{ status: "PENDING", ask: -1, asked: 601, leased: 661 }, true, true],
    // The next two leases count as valid, because the clock that set them was at most ten minutes ahead.
    [{ status: "PENDING", ask: -1, asked: 2, leased: 62 }, false, false],
    [{ status: "PENDING", ask: -1, asked: 600, leased: 660 }, false, false],
    [{ status: "PROCESSING", ask: hour, asked: null, leased: null }, true, false],
    // The sale's own request may still be running.
    [{ status: "PROCESSING", ask: 62, asked: null, leased: null }, false, false]
  ] as const)("with the times %j is claimed by reconcile: %s, and by a cycle for due sales: %s", ([stamps, all, due]) =>
    Effect.gen(function* () {
      const company = ++companies
      yield* stamped(company, stamps)
      const taken = (claim: RecoveryClaim) =>
        Effect.map(claimedCompanies(claim), ({ reversals, sales }) => [
          sales.includes(company),
          reversals.includes(company)
        ])
      // The reversal is PENDING even when the sale is PROCESSING.
      const reversal = stamps.status === "PROCESSING" ? true : all
      assert.deepStrictEqual(yield* taken(claimAt(0, "due")), [due, due])
      yield* stamped(++companies, stamps)
      const other = companies
      assert.deepStrictEqual(
        yield* Effect.map(claimedCompanies(claimAt(0)), ({ reversals, sales }) => [
          sales.includes(other),
          reversals.includes(other)
        ]),
        [all, reversal]
      )
    })
  )

  it.effect("is claimed once by concurrent recovery cycles, and not again in the same cycle", () =>
    Effect.gen(function* () {
      const first = companies + 1
      for (const company of Arr.range(first, first + 19)) {
        yield* stamped(company, { status: "PENDING", ask: hour, asked: hour, leased: hour })
      }
      const all = yield* Effect.all(Arr.replicate(claimedCompanies(claimAt(1)), 8), { concurrency: "unbounded" })
      for (const about of ["sales", "reversals"] as const) {
        const taken = all.flatMap((each) => each[about]).filter((company) => company >= first)
        assert.deepStrictEqual(
          taken.toSorted((left, right) => left - right),
          Arr.range(first, first + 19)
        )
      }
      const again = yield* claimedCompanies({ ...claimAt(1), now: at(2) })
      assert.deepStrictEqual(
        again.sales.filter((company) => company >= first),
        []
      )
    })
  )
})
