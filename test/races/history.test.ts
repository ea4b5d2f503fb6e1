import { PgClient, PgTypes } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer, Option } from "effect"
import * as HistoriesPostgres from "../../adapters/postgres/HistoriesPostgres.ts"
import { settleRow } from "../../adapters/postgres/SettleRow.ts"
import { Verdict } from "../../core/domain/Sale.ts"
import { Histories } from "../../core/ports/Histories.ts"
import { TestDatabase } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { intentOf, opened, replica, reservedOrder } from "../support/Sales.ts"

const TestLayer = Layer.provideMerge(HistoriesPostgres.layer, TestDatabase)

layer(TestLayer, { excludeTestServices: true })("the history of a sale", (it) => {
  it.effect("that is settled while it is read tells of before, all of it", () =>
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
      // It has read the sale, and waits for the entries until the sale is settled.
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
