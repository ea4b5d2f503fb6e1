import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Duration, Effect, Fiber, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import * as AuditPostgres from "../../adapters/postgres/reads/AuditPostgres.ts"
import { CompanyId } from "../../core/domain/Ids.ts"
import { Verdict } from "../../core/domain/Sale.ts"
import { Deliveries } from "../../core/ports/Deliveries.ts"
import { Outbox } from "../../core/ports/Outbox.ts"
import { Reversals } from "../../core/ports/Reversals.ts"
import { Unresolved } from "../../core/ports/Unresolved.ts"
import { atOnce, holdingLock, onItsOwn, tagsOf } from "../support/Concurrency.ts"
import { TestDatabase, violatedInvariants } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { intentOf, opened, replica, reservedOrder } from "../support/SalesOnPostgres.ts"
import { withoutOpenCondition } from "../support/WithoutOpenCondition.ts"
import { busyCompany, MovesOnThreeCells } from "./Moves.ts"

const Postgres = AuditPostgres.layer.pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto),
  Layer.provideMerge(TestDatabase)
)

const delivered = Verdict.Confirm({ delivery: { authCode: "A-1", rechargeToken: null } })

const setClosed = (company: number, isClosed: boolean) =>
  PgClient.PgClient.use((sql) => sql`select cell.close_companies(array[${company}]::bigint[], ${isClosed}, now())`)

layer(Postgres, { excludeTestServices: true, timeout: "2 minutes" })("a company that is closed", (it) => {
  it.effect("settles its sale in progress, and can begin no new sale", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const ledger = yield* replica
      yield* opened(ledger, 1, 1_000)
      yield* opened(ledger, 2, 1_000)
      const order = yield* reservedOrder(ledger, intentOf(1, "antes", 100))
      yield* setClosed(1, true)
      // The sales of both companies arrive together, so one statement reserves both.
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

  it.effect("is closed only after the sales that have locked its balance", () =>
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

  it.effect("gets no new sale after the call that closes it has returned", () =>
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

/** Claims all work of all companies. Returns which kinds of work of the given company were claimed. */
const claimedOf = Effect.fnUntraced(function* (company: number) {
  const now = DateTime.add(yield* DateTime.now, { hours: 1 })
  const claim = { now, lease: Duration.minutes(1), limit: 100 }
  const unresolved = { ...claim, began: now, which: "all" } as const
  const [sales, reversals, messages, deliveries] = yield* Effect.all([
    Unresolved.use((port) => port.claim(unresolved)),
    Reversals.use((port) => port.claim(unresolved)),
    Outbox.use((port) => port.claim(claim)),
    Deliveries.use((port) => port.claim({ ...claim, perWebhook: 16, busy: new Map() }))
  ])
  const companies = {
    sale: sales.map(({ order }) => order.companyId),
    reversal: reversals.map(({ unresolved }) => unresolved.reversal.order.companyId),
    message: messages.map(({ companyId }) => companyId),
    delivery: deliveries.map(({ event }) => event.companyId)
  }
  return Object.entries(companies).flatMap(([kind, claimed]) =>
    claimed.includes(CompanyId.make(company)) ? [kind] : []
  )
})

layer(MovesOnThreeCells, { excludeTestServices: true, timeout: "2 minutes" })("work of a closed company", (it) => {
  const all = ["sale", "reversal", "message", "delivery"]

  it.effect("is claimed only after the company is open again", () =>
    Effect.gen(function* () {
      yield* busyCompany(300)
      yield* setClosed(300, true)
      assert.deepStrictEqual(yield* claimedOf(300), [])
      yield* setClosed(300, false)
      assert.deepStrictEqual(yield* claimedOf(300), all)
    })
  )

  it.effect("is claimed if the claims lack the condition that the company is open", () =>
    Effect.gen(function* () {
      yield* busyCompany(303)
      yield* setClosed(303, true)
      assert.deepStrictEqual(yield* withoutOpenCondition(claimedOf(303)), all)
    })
  )
})
