import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Deferred, Duration, Effect, Fiber, Option, Redacted } from "effect"
import { Sequence } from "../../../core/domain/Event.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { Amount } from "../../../core/domain/Money.ts"
import { WebhookUrl, webhookSecretOf } from "../../../core/domain/Webhook.ts"
import type { ClaimedDelivery } from "../../../core/ports/Deliveries.ts"
import { inRounds, onItsOwn, racing, waitingForLocks } from "../../support/Concurrency.ts"
import { TestDatabase } from "../../support/Database.ts"
import {
  claim,
  delivered,
  gone,
  record,
  secret,
  sequences,
  server,
  type WebhookServer,
  webhookOf,
  write
} from "../../support/DeliveriesOnPostgres.ts"
import { eventually } from "../../support/Eventually.ts"
import { replica } from "../../support/SalesOnPostgres.ts"

const rounds = 25

const numbered = (number: number) => Sequence.make(number)

/** Runs all calls concurrently. */
const together = <A, E, R>(calls: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(calls, { concurrency: "unbounded" })

const firstOf = (servers: ReadonlyArray<WebhookServer>) => Arr.getUnsafe(servers, 0)

const ofCompany = (claimed: ReadonlyArray<ClaimedDelivery>, company: number) =>
  claimed.filter(({ event }) => event.companyId === company)

const counted = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ events: number; deliveries: number; waiting: number }>`
    select
      (select count(*)::int from cell.event where company_id = ${company}::bigint) as events,
      count(*)::int as deliveries,
      (count(*) filter (where state = 'pendiente'))::int as waiting
    from cell.delivery
    where company_id = ${company}::bigint`
  return row ?? assert.fail("the count has no row")
})

/**
 * Runs the first effect in a transaction. The transaction commits only when the second effect waits for a lock or has
 * ended. Returns the result of the second effect.
 */
const overlapping = Effect.fnUntraced(function* <A, B, E>(first: Effect.Effect<A, E>, second: Effect.Effect<B>) {
  const sql = yield* PgClient.PgClient
  const written = yield* Deferred.make<void>()
  const commits = yield* Deferred.make<void>()
  const steps = Effect.all([first, Deferred.succeed(written, undefined), Deferred.await(commits)])
  const holder = yield* Effect.forkChild(sql.withTransaction(steps))
  yield* Deferred.await(written)
  const other = yield* Effect.forkChild(second)
  yield* eventually(waitingForLocks, (count) => count > 0 || other.pollUnsafe() !== undefined)
  yield* Deferred.succeed(commits, undefined)
  yield* Fiber.join(holder)
  return yield* Fiber.join(other)
})

/** Claims the due deliveries of all companies, and returns those of one company. */
const claimOwn = Effect.fnUntraced(function* (one: WebhookServer, company: number, after: Duration.Duration) {
  return ofCompany(yield* claim(one, 10_000, { after }), company)
})

layer(TestDatabase, { excludeTestServices: true, timeout: "2 minutes" })("a webhook", (it) => {
  it.effect("gets a replayed event after the replay, even if an earlier attempt ends at the same time", () =>
    Effect.gen(function* () {
      const servers = yield* racing(server)
      const [one, ...others] = servers
      if (one === undefined) return assert.fail("there is no server")
      for (let company = 1; company <= rounds; company++) {
        const { id } = yield* webhookOf(one, company)
        yield* write(company, 1)
        const [sending] = yield* claimOwn(one, company, Duration.zero)
        if (sending === undefined) return assert.fail("nothing was claimed")
        const at = yield* DateTime.now
        const companyId = CompanyId.make(company)
        yield* together([
          Effect.asVoid(record(one, sending, delivered)),
          ...others.map(({ deliveries }) =>
            Effect.map(deliveries.replay(companyId, id, { sequence: sending.event.sequence }, at), (replayed) =>
              assert.strictEqual(replayed, 1)
            )
          )
        ])
        assert.deepStrictEqual(yield* counted(company), { events: 1, deliveries: 1, waiting: 1 })
        const claims = yield* together(servers.map((each) => claimOwn(each, company, Duration.seconds(1))))
        assert.deepStrictEqual(
          claims.flat().map(({ attempts, isFirst }) => [attempts, isFirst]),
          [[0, false]]
        )
        // The result of the attempt that was claimed before the replay is ignored.
        assert.isFalse(yield* record(one, sending, gone))
        for (const each of claims.flat()) yield* record(one, each, delivered)
        assert.deepStrictEqual(yield* counted(company), { events: 1, deliveries: 1, waiting: 0 })
      }
    })
  )

  it.effect("leaves no delivery behind when it is deleted during claims, results, replays and new events", () =>
    Effect.gen(function* () {
      const servers = yield* racing(server)
      const ledgers = yield* racing(replica)
      yield* inRounds({ count: rounds, first: 1001 }, (company) =>
        Effect.gen(function* () {
          const companyId = CompanyId.make(company)
          const one = firstOf(servers)
          const { id } = yield* webhookOf(one, company)
          yield* write(company, 8)
          const claimed = yield* claimOwn(one, company, Duration.zero)
          const at = yield* DateTime.now
          const span = { since: DateTime.makeUnsafe(0), until: null, onlyFailed: false }
          const removed = yield* together([
            ...servers.slice(0, 2).map(({ webhooks }) => webhooks.remove(companyId, id)),
            ...servers.slice(2, 4).map((each) => Effect.as(claim(each, 100), false)),
            ...servers
              .slice(4, 6)
              .map(({ deliveries }) => Effect.as(deliveries.replay(companyId, id, span, at), false)),
            ...claimed.map((each) => Effect.as(record(one, each, delivered), false)),
            ...ledgers.map((ledger, racer) =>
              Effect.as(ledger.deposit({ companyId, amount: Amount.make(100), reference: `r${racer}`, at }), false)
            )
          ])
          assert.lengthOf(removed.filter(Boolean), 1)
          assert.deepStrictEqual(yield* counted(company), { events: 8 + ledgers.length, deliveries: 0, waiting: 0 })
        })
      )
    })
  )

  it.effect("is deleted with the deliveries of a replay that has not committed", () =>
    Effect.gen(function* () {
      const replaying = yield* server
      const deleting = yield* onItsOwn(server)
      const companyId = CompanyId.make(1501)
      const { id } = yield* webhookOf(deleting, 1501)
      yield* write(1501, 1)
      const sequence = numbered(1)
      yield* PgClient.PgClient.use((sql) => sql`delete from cell.delivery where company_id = 1501`)
      const replay = replaying.deliveries.replay(companyId, id, { sequence }, yield* DateTime.now)
      assert.isTrue(yield* overlapping(replay, deleting.webhooks.remove(companyId, id)))
      assert.deepStrictEqual(yield* counted(1501), { events: 1, deliveries: 0, waiting: 0 })
    })
  )

  it.effect("gets an event again after a replay that commits while the result of an attempt is written", () =>
    Effect.gen(function* () {
      const replaying = yield* server
      const sending = yield* onItsOwn(server)
      const companyId = CompanyId.make(1502)
      const { id } = yield* webhookOf(sending, 1502)
      yield* write(1502, 1)
      const [claimed] = yield* claimOwn(sending, 1502, Duration.zero)
      if (claimed === undefined) return assert.fail("nothing was claimed")
      const replay = replaying.deliveries.replay(companyId, id, { sequence: numbered(1) }, yield* DateTime.now)
      yield* overlapping(replay, record(sending, claimed, delivered))
      assert.deepStrictEqual(yield* counted(1502), { events: 1, deliveries: 1, waiting: 1 })
    })
  )

  it.effect("is disabled once by several results, and then no server claims its deliveries until it is active", () =>
    Effect.gen(function* () {
      const servers = yield* racing(server)
      const one = firstOf(servers)
      for (let company = 2001; company <= 2000 + rounds; company++) {
        const companyId = CompanyId.make(company)
        const { id } = yield* webhookOf(one, company)
        yield* write(company, 40)
        const first = yield* claimOwn(one, company, Duration.zero)
        assert.lengthOf(first, 16)
        const meanwhile: Array<ClaimedDelivery> = []
        const reports = yield* together([
          ...first.map((each, index) => record(servers[index % servers.length] ?? one, each, gone)),
          ...servers.map((each) =>
            Effect.map(claimOwn(each, company, Duration.zero), (claimed) => {
              meanwhile.push(...claimed)
              return false
            })
          )
        ])
        assert.lengthOf(reports.filter(Boolean), 1)
        assert.isEmpty(yield* claimOwn(one, company, Duration.minutes(10)))
        yield* one.webhooks.change(companyId, id, { state: "activo" })
        const rest: Array<ClaimedDelivery> = []
        for (let more = -1; rest.length > more; ) {
          more = rest.length
          rest.push(...(yield* claimOwn(one, company, Duration.zero)))
        }
        // Every delivery was claimed once: before the webhook was disabled, or after it was activated.
        assert.deepStrictEqual(sequences([...first, ...meanwhile, ...rest]), Arr.range(1, 40).map(numbered))
      }
    })
  )

  it.effect("is not disabled by a 410 of its earlier URL, and gets the event at the new one", () =>
    Effect.gen(function* () {
      const one = yield* server
      const companyId = CompanyId.make(1801)
      const { id } = yield* webhookOf(one, 1801)
      yield* write(1801, 1)
      const [sending] = yield* claimOwn(one, 1801, Duration.zero)
      if (sending === undefined) return assert.fail("nothing was claimed")
      yield* one.webhooks.change(companyId, id, { url: WebhookUrl.make("https://nueva.example.com/") })
      assert.isFalse(yield* record(one, sending, gone))
      const changed = Option.getOrThrow(yield* one.webhooks.find(companyId, id))
      assert.deepInclude(changed, { state: "activo", failingSince: null })
      assert.deepStrictEqual(yield* counted(1801), { events: 1, deliveries: 1, waiting: 1 })
      const [again] = yield* claimOwn(one, 1801, Duration.seconds(1))
      assert.strictEqual(again?.webhook.url, "https://nueva.example.com/")
      assert.isTrue(yield* record(one, again ?? sending, gone))
    })
  )

  it.effect("signs every delivery with a secret that was valid when it was claimed, while secrets rotate", () =>
    Effect.gen(function* () {
      const servers = yield* racing(server)
      const [one, two, ...claiming] = servers
      if (one === undefined || two === undefined) return assert.fail("there are too few servers")
      const secretOf = (byte: number) => Redacted.make(webhookSecretOf(new Uint8Array(32).fill(byte)))
      const known = [secret, secretOf(1), secretOf(2)].map(Redacted.value)
      const drawn = ({ webhook }: ClaimedDelivery) =>
        webhook.secrets.map((each) => known.indexOf(Redacted.value(each))).join()
      for (let company = 3001; company <= 3000 + rounds; company++) {
        const companyId = CompanyId.make(company)
        const { id } = yield* webhookOf(one, company)
        yield* write(company, 12)
        const until = DateTime.addDuration(yield* DateTime.now, Duration.hours(24))
        const claims = yield* together([
          ...[one, two].map(({ webhooks }, index) =>
            Effect.map(
              webhooks.rotate(companyId, id, secretOf(index + 1), until),
              (isRotated): Array<ClaimedDelivery> => {
                assert.isTrue(isRotated)
                return []
              }
            )
          ),
          ...claiming.map((each) => claimOwn(each, company, Duration.zero))
        ])
        const all = claims.flat()
        assert.deepStrictEqual(sequences(all), Arr.range(1, 12).map(numbered))
        // Valid secrets before, between and after the two rotations, which may run in either order.
        for (const each of all) assert.include(["0", "1,0", "2,0", "2,1", "1,2"], drawn(each))
        yield* write(company, 13)
        const [last] = yield* claimOwn(one, company, Duration.zero)
        assert.include(["2,1", "1,2"], last === undefined ? "" : drawn(last))
      }
    })
  )

  it.effect("that turns events on receives every event that is written from then on", () =>
    Effect.gen(function* () {
      const servers = yield* racing(server)
      const ledgers = yield* racing(replica)
      const sql = yield* PgClient.PgClient
      const numbers = new Set<number>()
      yield* inRounds({ count: 2 * rounds, first: 4001 }, (company) =>
        Effect.gen(function* () {
          const companyId = CompanyId.make(company)
          const at = yield* DateTime.now
          const deposit = (ledger: (typeof ledgers)[number], reference: string) =>
            Effect.asVoid(ledger.deposit({ companyId, amount: Amount.make(100), reference, at }))
          yield* together([
            ...ledgers.map((ledger, racer) => deposit(ledger, `d${racer}`)),
            Effect.asVoid(webhookOf(firstOf(servers), company))
          ])
          const { deliveries, events } = yield* counted(company)
          assert.strictEqual(deliveries, events)
          // The deposits that have an event are the last deposits of the ledger.
          const rows = yield* sql<{ position: number; sequence: number | null }>`
            select (row_number() over (order by l.id desc))::int as position, e.sequence::int
            from cell.entry as l
            left join cell.event as e on e.company_id = l.company_id and e.entry_id = l.id
            where l.company_id = ${company}::bigint
            order by l.id desc`
          assert.lengthOf(rows, ledgers.length)
          assert.deepStrictEqual(
            rows.map(({ sequence }) => sequence),
            rows.map(({ position }) => (position <= events ? events + 1 - position : null))
          )
          numbers.add(events)
        })
      )
      // The number of events differs between rounds, so the deposits really raced with the creation of the webhook.
      assert.isAbove(numbers.size, 1)
    })
  )
})
