import { PgClient, PgTypes } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Deferred, Effect, Fiber, Layer, Option } from "effect"
import { settleRow } from "../../../adapters/postgres/ledger/LedgerRows.ts"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import * as HistoriesPostgres from "../../../adapters/postgres/reads/HistoriesPostgres.ts"
import * as TransactionsPostgres from "../../../adapters/postgres/reads/TransactionsPostgres.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { Verdict } from "../../../core/domain/Sale.ts"
import { Histories } from "../../../core/ports/Histories.ts"
import { Transactions } from "../../../core/ports/Transactions.ts"
import { onItsOwn } from "../../support/Concurrency.ts"
import { TestDatabase, violatedInvariants } from "../../support/Database.ts"
import { eventually } from "../../support/Eventually.ts"
import { intentOf, opened, replica, reservedOrder } from "../../support/SalesOnPostgres.ts"

const ListsLayer = Layer.mergeAll(AuditPostgres.layer, TransactionsPostgres.layer).pipe(
  Layer.provideMerge(TestDatabase)
)

const company = CompanyId.make(1)
const contested = "contested"

const oneConnectionWaits = PgClient.PgClient.use((sql) =>
  Effect.repeat(
    sql<{ count: number }>`
      select count(*)::int as count
      from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
    { until: ([row]) => row?.count === 1 }
  )
)

layer(ListsLayer, { excludeTestServices: true })("a reservation that waits for its idempotency key", (it) => {
  it.effect("is added to the block that later sales completed during the wait", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const [late, other] = yield* Effect.all([onItsOwn(replica), onItsOwn(replica)])
      yield* opened(other, company, 100_000)
      const waiting = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`
            insert into cell.idempotency (company_id, key, owner, fingerprint, transaction_id, claimed_at)
            values (${company}, ${contested}, gen_random_uuid(), '', 0, 'epoch')`
          const waiting = yield* Effect.forkScoped(reservedOrder(late, intentOf(company, contested, 100)))
          yield* oneConnectionWaits
          yield* Effect.forEach(Arr.range(1, 6), (n) => reservedOrder(other, intentOf(company, `sale ${n}`, 100)))
          yield* sql`delete from cell.idempotency where company_id = ${company} and key = ${contested}`
          return waiting
        })
      )
      const { transactionId } = yield* Fiber.join(waiting)
      const blocks = yield* sql`
        select first_id::int as first, members from cell.block where company_id = ${company} and list = 'sale'`
      assert.deepStrictEqual(blocks, [{ first: Number(transactionId), members: 5 }])
      const { items, total } = yield* Transactions.use(({ list }) => list(company, {}, { page: 2, perPage: 4 }))
      assert.deepStrictEqual([items.length, items.at(-1)?.id, total], [3, transactionId, 7])
      assert.deepStrictEqual(yield* violatedInvariants, [])
    }).pipe(Effect.scoped)
  )

  it.effect("is in the lists after a rebuild, even if the company id is passed twice to the rebuild", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`select cell.list_anew(array[${company}::bigint, ${company}::bigint])`
      assert.deepStrictEqual(yield* violatedInvariants, [])
      const { total } = yield* Transactions.use(({ list }) => list(company, {}, { page: 1, perPage: 4 }))
      assert.strictEqual(total, 7)
    })
  )
})

const HistoriesLayer = Layer.provideMerge(HistoriesPostgres.layer, TestDatabase)

layer(HistoriesLayer, { excludeTestServices: true })("the history of a sale", (it) => {
  it.effect("is consistent when the sale is settled during the read", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const histories = yield* Histories
      yield* sql`
        insert into directory.company (id, code, legal_name, environment, created_at)
        overriding system value
        values (1, 'UNA', 'Una', 'development', 'epoch')`
      const ledger = yield* replica
      yield* opened(ledger, 1, 1_000)
      const order = yield* reservedOrder(ledger, intentOf(1, "sale", 100))
      const verdict = Verdict.Confirm({ delivery: { authCode: "A1", rechargeToken: null } })
      const settlement = settleRow({ order, verdict, at: yield* DateTime.now, notFound: 0 })
      const find = histories.find(order.transactionId)
      // The history reads the sale first, then waits for the locked entries. Meanwhile the sale is settled.
      const locked = yield* Deferred.make<void>()
      const reading = yield* Effect.forkChild(Effect.andThen(Deferred.await(locked), find))
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`lock table cell.entry in access exclusive mode`
          yield* Deferred.succeed(locked, undefined)
          yield* eventually(
            sql`select from pg_locks where relation = 'cell.entry'::regclass and not granted`,
            (waiting) => waiting.length > 0
          )
          yield* sql`select count(*) from cell.settle(${PgTypes.jsonb([{ ...settlement, n: 0 }])})`
        })
      )
      const during = Option.getOrThrow(yield* Fiber.join(reading))
      assert.deepStrictEqual([during.transaction.status, during.entries.length], ["PROCESSING", 0])
      const after = Option.getOrThrow(yield* find)
      assert.deepStrictEqual([after.transaction.status, after.entries.length], ["SUCCESS", 1])
    }).pipe(Effect.scoped)
  )
})
