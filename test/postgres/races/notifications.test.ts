import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { notificationsOf } from "../../../adapters/postgres/connection/Notifications.ts"
import { TestDatabase } from "../../support/Database.ts"
import { eventually } from "../../support/Eventually.ts"

const listeners = Effect.flatMap(
  PgClient.PgClient,
  (sql) => sql<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database() and query ilike 'listen%example%'`
)

layer(TestDatabase)("a listener", (it) => {
  it.effect("emits when it starts to listen, on each notification, and when its connection is lost and restored", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      let emitted = 0
      const count = Effect.sync(() => {
        emitted += 1
      })
      const reached = (number: number) =>
        eventually(
          Effect.sync(() => emitted),
          (now) => now >= number
        )
      yield* Effect.forkScoped(Stream.runForEach(notificationsOf(sql, "example"), () => count))
      yield* reached(1)
      yield* sql`select pg_notify('example', '')`
      yield* reached(2)
      const [listener] = yield* listeners
      yield* sql`select pg_terminate_backend(${listener?.pid ?? 0})`
      yield* reached(3)
      assert.isEmpty(yield* listeners)
      yield* TestClock.adjust("1 second")
      yield* reached(4)
      yield* sql`select pg_notify('example', '')`
      yield* reached(5)
      assert.strictEqual(emitted, 5)
      assert.lengthOf(yield* listeners, 1)
    }).pipe(Effect.scoped)
  )
})
