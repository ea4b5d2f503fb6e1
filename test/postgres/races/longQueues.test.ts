import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber } from "effect"
import * as EventsPostgres from "../../../adapters/postgres/events/EventsPostgres.ts"
import { Sequence } from "../../../core/domain/Event.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { Events } from "../../../core/ports/Events.ts"
import { holdingLock, onItsOwn } from "../../support/Concurrency.ts"
import { TestDatabase } from "../../support/Database.ts"
import { server, webhookOf, write } from "../../support/DeliveriesOnPostgres.ts"
import { eventually } from "../../support/Eventually.ts"

const company = (number: number) => CompanyId.make(number)

/** Writes test events of a webhook with their deliveries, `days` days ago. */
const writeOld = Effect.fnUntraced(function* (
  ofCompany: number,
  webhook: number,
  { count, days, state = "pendiente" }: { readonly count: number; readonly days: number; readonly state?: string }
) {
  const sql = yield* PgClient.PgClient
  yield* sql`
    with written as (
      insert into cell.event (company_id, sequence, type, created_at, webhook_id)
      select b.company_id, b.last_event + i, 'webhook.test', now() - make_interval(days => ${days}), ${webhook}
      from cell.balance as b
      cross join generate_series(1, ${count}::int) as i
      where b.company_id = ${ofCompany}::bigint
      returning company_id, sequence, created_at
    ),
    queued as (
      insert into cell.delivery (company_id, webhook_id, sequence, state, due_at, created_at)
      select company_id, ${webhook}, sequence, ${state}, created_at, created_at
      from written
    )
    update cell.balance set last_event = last_event + ${count} where company_id = ${ofCompany}::bigint`
})

/** The number of events and of deliveries of a company, and of deliveries that wait. */
const counted = Effect.fnUntraced(function* (ofCompany: number) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ counts: ReadonlyArray<number> }>`
    select array[
      (select count(*) from cell.event where company_id = ${ofCompany}::bigint),
      count(*),
      count(*) filter (where state = 'pendiente')
    ]::int[] as counts
    from cell.delivery
    where company_id = ${ofCompany}::bigint`
  return row?.counts ?? assert.fail("the count has no row")
})

layer(TestDatabase, { excludeTestServices: true })("a webhook with thousands of deliveries", (it) => {
  it.effect("is deleted in parts, and locks the company's balance only when they are gone", () =>
    Effect.gen(function* () {
      const one = yield* onItsOwn(server)
      const { id } = yield* webhookOf(one, 1)
      yield* writeOld(1, id, { count: 2500, days: 1 })
      const { release } = yield* holdingLock("select from cell.balance where company_id = 1 for update")
      const removing = yield* Effect.forkChild(one.webhooks.remove(company(1), id))
      yield* eventually(counted(1), ([, deliveries]) => deliveries === 0)
      assert.isUndefined(removing.pollUnsafe(), "the webhook waits for the balance")
      yield* release
      assert.isTrue(yield* Fiber.join(removing))
      assert.deepStrictEqual(yield* counted(1), [2500, 0, 0])
    })
  )

  it.effect("gets every event of a time span again", () =>
    Effect.gen(function* () {
      const one = yield* server
      const { id } = yield* webhookOf(one, 2)
      yield* writeOld(2, id, { count: 10, days: 5, state: "entregada" })
      yield* writeOld(2, id, { count: 10_001, days: 2, state: "entregada" })
      const now = yield* DateTime.now
      const since = DateTime.subtract(now, { days: 3 })
      const replayed = yield* one.deliveries.replay(company(2), id, { since, until: null, onlyFailed: false }, now)
      assert.strictEqual(replayed, 10_001)
      assert.deepStrictEqual(yield* counted(2), [10_011, 10_011, 10_001])
    })
  )
})

layer(TestDatabase, { excludeTestServices: true })("events", (it) => {
  it.effect("are deleted after 30 days, oldest first, once their deliveries are deleted", () =>
    Effect.gen(function* () {
      const servers = yield* server
      const [one, two] = [yield* webhookOf(servers, 11), yield* webhookOf(servers, 12)]
      yield* writeOld(11, one.id, { count: 7, days: 31 })
      yield* writeOld(11, one.id, { count: 3, days: 29 })
      yield* writeOld(12, two.id, { count: 2, days: 40 })
      yield* write(12, 1)
      const events = yield* Effect.provide(Events, EventsPostgres.layer)
      const before = DateTime.subtract(yield* DateTime.now, { days: 30 })
      const all = Effect.all([counted(11), counted(12)])

      assert.strictEqual(yield* events.purge(before, 5), 5)
      const [eleven, twelve] = yield* all
      assert.strictEqual((eleven[1] ?? 0) + (twelve[1] ?? 0), 8, "five deliveries are deleted")
      assert.deepStrictEqual([eleven[0], twelve[0]], [10, 3], "no event is deleted before its deliveries")

      while ((yield* events.purge(before, 5)) >= 5);
      assert.deepStrictEqual(yield* all, [
        [3, 3, 3],
        [1, 1, 1]
      ])
      assert.strictEqual(yield* events.purge(before, 5), 0)
      const { events: left } = yield* events.list(company(11), { after: Sequence.make(0), limit: 10 })
      assert.deepStrictEqual(
        left.map(({ sequence }) => sequence),
        [8, 9, 10].map((sequence) => Sequence.make(sequence))
      )
    })
  )

  it.effect("of one type are read after the events of other types that an earlier read has passed", () =>
    Effect.gen(function* () {
      yield* webhookOf(yield* server, 13)
      yield* write(13, 4)
      const events = yield* Effect.provide(Events, EventsPostgres.layer)
      const ofType = (type: "balance.deposited" | "balance.low", after: number, limit: number) =>
        Effect.map(events.list(company(13), { after: Sequence.make(after), limit, type }), (read) => [
          read.events.length,
          read.next
        ])
      assert.deepStrictEqual(yield* ofType("balance.low", 0, 10), [0, 4])
      assert.deepStrictEqual(yield* ofType("balance.low", 9, 10), [0, 9])
      assert.deepStrictEqual(yield* ofType("balance.deposited", 0, 3), [3, 3])
      assert.deepStrictEqual(yield* ofType("balance.deposited", 3, 3), [1, 4])
    })
  )
})
