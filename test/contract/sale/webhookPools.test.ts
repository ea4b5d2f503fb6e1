import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../../support/Eventually.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { deposit } from "../../support/service/CustomerCompany.ts"
import { as, sell } from "../../support/service/HttpCalls.ts"
import { testServer } from "../../support/service/TestServer.ts"
import { delivering, settled, subscriber } from "../../support/service/WebhookCalls.ts"

const serverWith = (connections: string) => testServer({ WEBHOOK_ALLOW_LOCAL: "on", PG_POOL_MAX: connections })

const sale = { service_id: 1, identifier: "8095550123", amount: 50 }

// Each listener occupies a connection, and two caches have listeners. With 4 or 5 connections, a listener for deliveries
// would leave no connection for sales. The server therefore has this listener only with 7 connections or more.
for (const connections of ["4", "5", "7"]) {
  layer(serverWith(connections), { excludeTestServices: true })(`a server with PG_POOL_MAX=${connections}`, (it) => {
    it.effect("sells and delivers events to webhooks at the same time", () =>
      Effect.gen(function* () {
        const { apiKey, calls, path, received } = yield* subscriber({ eventos: ["transaction.succeeded"] })
        yield* delivering
        const sold = yield* Effect.forEach(Array.from({ length: 8 }), () => sell(sale, as(apiKey)), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(
          sold.map(({ status }) => status),
          sold.map(() => 201)
        )
        yield* settled(
          calls,
          path,
          sold.map(() => ["transaction.succeeded", "entregada", 1, null])
        )
        assert.lengthOf(received, sold.length)
      })
    )
  })
}

const listeners = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql`
    select from pg_stat_activity
    where datname = current_database() and query ilike 'listen%deliveries%'`
  return rows.length
})

layer(serverWith("7"), { excludeTestServices: true })("a worker of a server with PG_POOL_MAX=7", (it) => {
  it.effect("delivers an event when it is written, without waiting for the next poll", () =>
    Effect.gen(function* () {
      const { companyId, received } = yield* subscriber()
      yield* delivering
      yield* eventually(listeners, (count) => count === 1)
      yield* deposit(companyId, 10, "d1")
      // Passes enough time to end the pause between two claims, but not enough to reach the next poll. So only the
      // notification can wake the worker.
      const { pass } = yield* ManualClock
      let passed_ms = 0
      const look = Effect.suspend(() => {
        passed_ms += 1
        return passed_ms < 400 ? pass("1 millis") : Effect.void
      })
      yield* eventually(
        Effect.map(look, () => received.length),
        (count) => count === 1
      )
    })
  )
})
