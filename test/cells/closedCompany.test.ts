import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Duration, Effect, Fiber, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import * as UnresolvedPostgres from "../../adapters/postgres/ledger/UnresolvedPostgres.ts"
import * as AuditPostgres from "../../adapters/postgres/reads/AuditPostgres.ts"
import { Verdict } from "../../core/domain/Sale.ts"
import { Unresolved } from "../../core/ports/Unresolved.ts"
import { atOnce, holdingLock, onItsOwn, tagsOf } from "../support/Concurrency.ts"
import { TestDatabase, violatedInvariants } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { intentOf, opened, replica, reservedOrder } from "../support/SalesOnPostgres.ts"

const Postgres = Layer.mergeAll(AuditPostgres.layer, UnresolvedPostgres.layer).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto),
  Layer.provideMerge(TestDatabase)
)

const delivered = Verdict.Confirm({ delivery: { authCode: "A-1", rechargeToken: null } })

const setClosed = (company: number, isClosed: boolean) =>
  PgClient.PgClient.use((sql) => sql`select cell.close_companies(array[${company}]::bigint[], ${isClosed}, now())`)

layer(Postgres, { excludeTestServices: true, timeout: "2 minutes" })("a company that is closed", (it) => {
  it.effect("has its sale in progress settled, and can begin no new sale", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const ledger = yield* replica
      yield* opened(ledger, 1, 1_000)
      yield* opened(ledger, 2, 1_000)
      const order = yield* reservedOrder(ledger, intentOf(1, "antes", 100))
      yield* setClosed(1, true)
      // The sales of both companies arrive together, so they are one group.
      const tags = yield* atOnce([
        ledger.reserve(intentOf(1, "despues", 100)),
        ledger.reserve(intentOf(2, "otra", 100))
      ])
      assert.deepStrictEqual(tagsOf(tags), ["CompanyClosed", "done"])
      const settled = yield* ledger.settle({ order, verdict: delivered, at: yield* DateTime.now, notFound: 0 })
      assert.deepStrictEqual([settled.won, settled.status], [true, "SUCCESS"])
      const keys = yield* sql`select key from cell.idempotency where company_id = 1`
      assert.deepStrictEqual(keys, [{ key: "antes" }])
      // The key of the refused sale is free, and can be used when the company is open again.
      yield* setClosed(1, false)
      yield* reservedOrder(ledger, intentOf(1, "despues", 100))
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )

  it.effect("has no sale that recovery claims", () =>
    Effect.gen(function* () {
      const ledger = yield* replica
      const { claim } = yield* Unresolved
      yield* opened(ledger, 3, 1_000)
      const { transactionId } = yield* reservedOrder(ledger, intentOf(3, "pendiente", 100))
      const now = DateTime.add(yield* DateTime.now, { hours: 1 })
      const claimed = Effect.map(
        claim({ began: now, lease: Duration.minutes(1), limit: 100, now, which: "due" }),
        (sales) => sales.map(({ order }) => order.transactionId).filter((id) => id === transactionId)
      )
      yield* setClosed(3, true)
      assert.deepStrictEqual(yield* claimed, [])
      yield* setClosed(3, false)
      assert.deepStrictEqual(yield* claimed, [transactionId])
    })
  )

  it.effect("is closed after the sales that hold its balance", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const ledger = yield* replica
      yield* opened(ledger, 4, 1_000)
      const sale = yield* holdingLock("select from cell.balance where company_id = 4 for update")
      const closing = yield* Effect.forkChild(Effect.scoped(onItsOwn(setClosed(4, true))))
      const waiting = sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%close_companies%'`
      yield* eventually(waiting, (rows) => rows.length > 0)
      yield* sale.release
      yield* Fiber.join(closing)
      const rows = yield* sql`select closed from cell.balance where company_id = 4`
      assert.deepStrictEqual(rows, [{ closed: true }])
    })
  )

  it.effect("gets no sale after its closing has returned", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const ledgers = yield* Effect.all([replica, replica])
      yield* opened(ledgers[0], 5, 1_000_000)
      const count = Effect.map(
        sql<{ n: number }>`select count(*)::int as n from cell.transaction where company_id = 5`,
        ([row]) => row?.n
      )
      const sales = yield* Effect.forkChild(
        Effect.forEach(Arr.range(1, 20), (round) =>
          atOnce(ledgers.map((ledger, server) => ledger.reserve(intentOf(5, `v-${round}-${server}`, 100))))
        )
      )
      yield* setClosed(5, true)
      const atClosing = yield* count
      const tags = tagsOf((yield* Fiber.join(sales)).flat())
      assert.strictEqual(yield* count, atClosing)
      assert.strictEqual(tags.filter((tag) => tag === "done").length, atClosing)
      assert.strictEqual(tags.filter((tag) => tag === "CompanyClosed").length, 40 - (atClosing ?? 0))
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )
})
