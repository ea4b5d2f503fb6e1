import { PgClient, PgTypes } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Deferred, Duration, Effect, Exit, Fiber, Layer } from "effect"
import * as UnresolvedPostgres from "../../adapters/postgres/UnresolvedPostgres.ts"
import type { Order } from "../../core/domain/Sale.ts"
import { Unresolved } from "../../core/ports/Unresolved.ts"
import { TestDatabase } from "../support/Database.ts"
import { intentOf, opened, replica, reservedOrder } from "../support/Sales.ts"

/** Due so many minutes ago, each a sale of its own; answers them in the order of the minutes. */
const dueSince = Effect.fnUntraced(function* (company: number, minutes: ReadonlyArray<number>) {
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

/** For how many minutes that is due which a recovery claims now. */
const claimed = Effect.fnUntraced(function* (limit: number) {
  const now = yield* DateTime.now
  const unresolved = yield* Unresolved
  const found = yield* unresolved.claim({ began: now, now, lease: Duration.hours(1), limit, which: "due" })
  return found.map(({ order }) => Number(order.xid.split("-").at(-1))).toSorted()
})

const TestLayer = UnresolvedPostgres.layer.pipe(Layer.provideMerge(TestDatabase))

layer(TestLayer, { excludeTestServices: true })("a claim of what is due", (it) => {
  it.effect("skips what another holds, and never waits for it", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const orders = yield* dueSince(1, [3, 2, 1])
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
      assert.deepStrictEqual(yield* claimed(10), [1, 3])
      yield* Deferred.succeed(over, undefined)
      assert.isTrue(Exit.isFailure(yield* Fiber.join(holder)))
      assert.deepStrictEqual(yield* claimed(10), [2])
    }).pipe(Effect.scoped)
  )

  // By the index they happen to come in the order of their time, which nobody promises.
  it.effect("takes the oldest when there are more than it takes, by whatever way it finds them", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* dueSince(2, [2, 7, 4, 8, 1, 6, 3, 5])
      const byScan = Effect.andThen(sql`set local enable_indexscan = off`, sql`set local enable_bitmapscan = off`)
      const scanned = sql.withTransaction(Effect.andThen(byScan, claimed(3)))
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
