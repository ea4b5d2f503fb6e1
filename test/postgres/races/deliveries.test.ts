import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import type { WebhookId } from "../../../core/domain/Event.ts"
import { racing } from "../../support/Concurrency.ts"
import { TestDatabase } from "../../support/Database.ts"
import {
  claim,
  delivered,
  failed,
  record,
  sequences,
  server,
  webhookOf,
  write
} from "../../support/DeliveriesOnPostgres.ts"

/** How many rows of deliveries, webhooks and events this transaction has read. */
const rowsRead = PgClient.PgClient.use((sql) =>
  Effect.map(
    sql<{ rows: number }>`
      select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows
      from pg_stat_xact_user_tables
      where relid in ('cell.delivery'::regclass, 'cell.webhook'::regclass, 'cell.event'::regclass)`,
    ([row]) => row?.rows ?? 0
  )
)

layer(TestDatabase, { excludeTestServices: true, timeout: "2 minutes" })("a delivery", (it) => {
  it.effect("is claimed by only one of several servers", () =>
    Effect.gen(function* () {
      const servers = yield* racing(server)
      const [first] = servers
      if (first === undefined) return assert.fail("there is no server")
      yield* webhookOf(first, 1)
      yield* write(1, 40)
      const claims = yield* Effect.forEach(servers, (each) => claim(each, 100), { concurrency: "unbounded" })
      assert.deepStrictEqual(
        sequences(claims.flat()),
        Array.from({ length: 40 }, (_, index) => index + 1)
      )
      // A server claims at most 16 deliveries of one webhook.
      for (const each of claims) assert.isAtMost(each.length, 16)
      yield* Effect.forEach(claims.flat(), (each) => record(first, each, delivered), { concurrency: "unbounded" })
      assert.isEmpty(yield* claim(first, 100, { after: Duration.hours(1) }))
    })
  )

  it.effect("is claimed again after the lease of a server that crashed before it recorded a result", () =>
    Effect.gen(function* () {
      const dead = yield* server
      const alive = yield* server
      yield* webhookOf(alive, 2)
      yield* write(2, 3)
      assert.lengthOf(yield* claim(dead, 100), 3)
      assert.isEmpty(yield* claim(alive, 100, { after: Duration.seconds(44) }))
      assert.deepStrictEqual(sequences(yield* claim(alive, 100, { after: Duration.seconds(46) })), [1, 2, 3])
    })
  )

  it.effect("to an endpoint that fails or is busy delays no other webhook", () =>
    Effect.gen(function* () {
      const one = yield* server
      const slow = yield* webhookOf(one, 3)
      const quick = yield* webhookOf(one, 4)
      yield* write(3, 40)
      yield* write(4, 5)
      const busy = new Map([[slow.id, 15]])
      const claimed = yield* claim(one, 100, { busy })
      const of = (id: WebhookId) => claimed.filter(({ webhook }) => webhook.id === id)
      assert.deepStrictEqual([of(slow.id).length, of(quick.id).length], [1, 5])
      for (const each of claimed) yield* record(one, each, each.webhook.id === slow.id ? failed : delivered)
      yield* write(4, 7)
      const next = yield* claim(one, 100)
      assert.deepStrictEqual(
        next.map(({ webhook }) => webhook.id).sort((a, b) => a - b),
        [slow.id, quick.id, quick.id]
      )
    })
  )

  it.effect("shows no attempt after a replay until the replayed event is sent", () =>
    Effect.gen(function* () {
      const one = yield* server
      const { companyId, id } = yield* webhookOf(one, 7)
      yield* write(7, 1)
      const shown = Effect.map(one.deliveries.list(companyId, id, {}, { page: 1, perPage: 10 }), ({ items }) =>
        items.map(({ attempts, duration_ms, error, httpStatus }) => [attempts, httpStatus, error, duration_ms])
      )
      const sent = (yield* claim(one, 100)).filter(({ event }) => event.companyId === companyId)
      for (const each of sent) yield* record(one, each, failed)
      assert.deepStrictEqual(yield* shown, [[1, 500, "http_500", 5]])
      for (const { event } of sent) {
        yield* one.deliveries.replay(companyId, id, { sequence: event.sequence }, yield* DateTime.now)
      }
      assert.deepStrictEqual(yield* shown, [[0, null, null, null]])
    })
  )

  it.effect("shares one event object with deliveries of the same event that are claimed together", () =>
    Effect.gen(function* () {
      const one = yield* server
      yield* webhookOf(one, 10)
      yield* webhookOf(one, 10)
      yield* write(10, 2)
      const events = (yield* claim(one, 100)).map(({ event }) => event).filter(({ companyId }) => companyId === 10)
      assert.lengthOf(events, 4)
      assert.strictEqual(new Set(events).size, 2)
    })
  )

  it.effect("of a webhook whose secret cannot be decrypted stays in the queue", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const one = yield* server
      const broken = yield* webhookOf(one, 5)
      yield* webhookOf(one, 5)
      yield* write(5, 2)
      yield* sql`update cell.webhook set secret = '\\x00' where id = ${broken.id}::bigint`
      const claimed = yield* claim(one, 100)
      assert.deepStrictEqual(sequences(claimed.filter(({ event }) => event.companyId === 5)), [1, 2])
      const [row] = yield* sql`
        select count(*)::int as waiting
        from cell.delivery
        where webhook_id = ${broken.id}::bigint and state = 'pendiente'`
      assert.strictEqual(row?.["waiting"], 2)
    })
  )

  it.effect("of an event that this version cannot read stays in the queue and delays no other event", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const one = yield* server
      yield* webhookOf(one, 14)
      yield* write(14, 3)
      yield* sql`alter table cell.event drop constraint event_type_check`
      yield* sql`alter table cell.event disable trigger event_immutable`
      yield* sql`update cell.event set type = 'later.type', entry_id = null where company_id = 14 and sequence = 2`
      yield* sql`alter table cell.event enable trigger event_immutable`
      const claimed = (yield* claim(one, 100)).filter(({ event }) => event.companyId === 14)
      assert.deepStrictEqual(sequences(claimed), [1, 3])
      const [row] = yield* sql`
        select array_agg(sequence::int order by sequence) as waiting
        from cell.delivery
        where company_id = 14 and state = 'pendiente' and leased_until is not null`
      assert.deepStrictEqual(row?.["waiting"], [1, 2, 3])
    })
  )

  it.effect("is claimed without reading the deliveries and webhooks that have nothing to send", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const one = yield* server
      yield* webhookOf(one, 6)
      yield* sql`
        insert into cell.webhook (company_id, id, url, event_types, description, state, secret, created_at)
        select 1000 + n, 1000 + n, 'https://tienda.example.com/', '{}', '', 'activo', '\\x00', 'epoch'
        from generate_series(1, 200) as n`
      yield* sql`
        insert into cell.delivery (company_id, webhook_id, sequence, state, due_at, created_at)
        select 1001 + n % 200, 1001 + n % 200, n, 'entregada', 'epoch', 'epoch'
        from generate_series(1, 20000) as n`
      // After `analyze`, the planner believes that no delivery waits.
      yield* sql`analyze cell.delivery, cell.webhook, cell.event`
      yield* write(6, 5)
      yield* sql.withTransaction(
        Effect.gen(function* () {
          const before = yield* rowsRead
          const claimed = yield* claim(one, 100)
          assert.lengthOf(
            claimed.filter(({ event }) => event.companyId === 6),
            5
          )
          assert.isAtMost((yield* rowsRead) - before, 150)
        })
      )
    })
  )

  it.effect("is claimed from the next webhook after a claim that reached its limit", () =>
    Effect.gen(function* () {
      const one = yield* server
      for (const company of [8, 9]) {
        yield* webhookOf(one, company)
        yield* write(company, 20)
      }
      const claims = yield* Effect.replicateEffect(claim(one, 16), 3)
      const companies = claims.map((claimed) => [...new Set(claimed.map(({ event }) => Number(event.companyId)))])
      const first = companies.findIndex((each) => each.includes(8))
      assert.deepStrictEqual(companies[first + 1], [9])
    })
  )

  it.effect("is claimed without visiting the webhooks beyond the limit", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const one = yield* server
      yield* sql`
        insert into cell.webhook (company_id, id, url, event_types, description, state, secret, created_at)
        select 2000 + n, 2000 + n, 'https://tienda.example.com/', '{}', '', 'activo', '\\x00', 'epoch'
        from generate_series(1, 500) as n`
      yield* sql`
        insert into cell.event (company_id, sequence, type, webhook_id, created_at)
        select 2000 + n, 1, 'webhook.test', 2000 + n, 'epoch'
        from generate_series(1, 500) as n`
      yield* sql`
        insert into cell.delivery (company_id, webhook_id, sequence, due_at, created_at)
        select 2000 + n, 2000 + n, 1, 'epoch', 'epoch'
        from generate_series(1, 500) as n`
      yield* sql.withTransaction(
        Effect.gen(function* () {
          const before = yield* rowsRead
          yield* claim(one, 5)
          assert.isAtMost((yield* rowsRead) - before, 250)
        })
      )
    })
  )
})
