import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect, Fiber, Layer } from "effect"
import * as AuditPostgres from "../../adapters/postgres/AuditPostgres.ts"
import * as TransactionsPostgres from "../../adapters/postgres/TransactionsPostgres.ts"
import { CompanyId } from "../../core/domain/Ids.ts"
import { Audit } from "../../core/ports/Audit.ts"
import { Transactions } from "../../core/ports/Transactions.ts"
import { TestDatabase } from "../support/Database.ts"
import { onItsOwn } from "../support/Racers.ts"
import { intentOf, opened, replica, reservedOrder } from "../support/Sales.ts"

const TestLayer = Layer.mergeAll(AuditPostgres.layer, TransactionsPostgres.layer).pipe(Layer.provideMerge(TestDatabase))

const company = CompanyId.make(1)
const contested = "contested"

const somebodyWaits = PgClient.PgClient.use((sql) =>
  Effect.repeat(
    sql<{ count: number }>`
      select count(*)::int as count
      from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
    { until: ([row]) => row?.count === 1 }
  )
)

const broken = Audit.use(({ prove }) =>
  Effect.map(prove, (examined) => examined.filter(({ violations }) => violations > 0))
)

layer(TestLayer, { excludeTestServices: true })("a sale that waits for its key", (it) => {
  it.effect("joins the block that was made of later ones meanwhile", () =>
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
          yield* somebodyWaits
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
      assert.deepStrictEqual(yield* broken, [])
    }).pipe(Effect.scoped)
  )

  it.effect("stands in lists that are made anew, also of a company that is named twice", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`select cell.list_anew(array[${company}::bigint, ${company}::bigint])`
      assert.deepStrictEqual(yield* broken, [])
      const { total } = yield* Transactions.use(({ list }) => list(company, {}, { page: 1, perPage: 4 }))
      assert.strictEqual(total, 7)
    })
  )
})
