import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Duration, Effect, Layer } from "effect"
import * as FollowUpsPostgres from "../../../adapters/postgres/ledger/FollowUpsPostgres.ts"
import { type Check, checks } from "../../../core/domain/FollowUp.ts"
import { FollowUps } from "../../../core/ports/FollowUps.ts"
import { racing } from "../../support/Concurrency.ts"
import { TestDatabase } from "../../support/Database.ts"

const now = DateTime.makeUnsafe("2026-03-04T12:00:00.000Z")

/** Inserts delivered sales in production, of a thousand companies. Four of them are settled in each second. */
const sell = (sales: number) => `
  insert into cell.transaction (
    company_id, id, xid, idempotency_key, status, environment, service_id, service_name, service_type, identifier, amount,
    reversible, day, created_at, processed_at, auth_code
  )
  select 1 + n % 1000, n, 'x-' || n, 'k-' || n, 'SUCCESS', 'production', 1, 's', 'generic', 'iii', 100,
    false, '2026-03-04', '2026-03-04 06:00Z', '2026-03-04 06:00Z'::timestamptz + n / 4 * interval '1 second', 'a'
  from generate_series(1, ${sales}) as n`

const followUpsReplica = Layer.build(Layer.fresh(FollowUpsPostgres.layer)).pipe(
  Effect.map((context) => Context.get(context, FollowUps))
)

const [firstCheck] = checks as readonly [Check, ...ReadonlyArray<Check>]

const claim = { check: firstCheck, began: now, now, lease: Duration.minutes(1), limit: 7 }

layer(TestDatabase, { excludeTestServices: true })("a check of settled sales", (it) => {
  it.effect("queries each sale once, in the order of settlement, when eight processes work on it", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql.unsafe(sell(1_000)).unprepared
      const processes = yield* racing(followUpsReplica)
      const asked: Array<number> = []
      let held = 0
      const work = Effect.fnUntraced(function* ({ claim: take, stands }: FollowUps["Service"], index: number) {
        // Leases differ, so that a process cannot end the claim of another.
        const own = { ...claim, lease: Duration.sum(claim.lease, Duration.millis(index)) }
        while (asked.length < 1_000) {
          const claimed = yield* take(own)
          if (claimed === null) continue
          assert.strictEqual(++held, 1)
          // Reads the database during the claim, as a process does in production.
          yield* Effect.forEach(claimed.sales, stands)
          asked.push(...claimed.sales.map(({ order }) => order.transactionId))
          held--
          yield* claimed.finish(true)
        }
      })
      yield* Effect.forEach(processes, work, { concurrency: "unbounded", discard: true })
      assert.deepStrictEqual(
        asked,
        Array.from({ length: 1_000 }, (_, index) => index + 1)
      )
    }).pipe(Effect.scoped)
  )

  it.effect("reads few rows of a table without statistics", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`delete from cell.transaction`
      yield* sql`delete from cell.follow_up`
      yield* sql.unsafe(sell(20_000)).unprepared
      const followUps = yield* followUpsReplica
      const rowsRead = Effect.map(
        sql<{ rows: number }>`
          select coalesce(seq_tup_read, 0)::int + coalesce(idx_tup_fetch, 0)::int as rows
          from pg_stat_xact_user_tables
          where relid = 'cell.transaction'::regclass`,
        ([row]) => row?.rows ?? 0
      )
      yield* sql.withTransaction(
        Effect.gen(function* () {
          const before = yield* rowsRead
          const claimed = yield* followUps.claim(claim)
          assert.lengthOf(claimed?.sales ?? [], claim.limit)
          assert.isAtMost((yield* rowsRead) - before, 50)
        })
      )
    }).pipe(Effect.scoped)
  )
})
