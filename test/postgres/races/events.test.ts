import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import * as EventsPostgres from "../../../adapters/postgres/events/EventsPostgres.ts"
import { Sequence } from "../../../core/domain/Event.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { Amount, Centavos } from "../../../core/domain/Money.ts"
import { ReversalVerdict } from "../../../core/domain/Reversal.ts"
import { Verdict } from "../../../core/domain/Sale.ts"
import { Events } from "../../../core/ports/Events.ts"
import { inRounds, racing } from "../../support/Concurrency.ts"
import { TestDatabase } from "../../support/Database.ts"
import {
  begunOn,
  intentOf,
  opened,
  replica,
  reservedOrder,
  reversalOf,
  reversalsReplica
} from "../../support/SalesOnPostgres.ts"

const turnOn = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  yield* sql`select cell.turn_events(${company}::bigint, true, now())`
})

const typesOf = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{ type: string }>`
    select type from cell.event where company_id = ${company} order by sequence`
  return rows.map(({ type }) => type)
})

const confirm = Verdict.Confirm({ delivery: { authCode: "AUTH-1", rechargeToken: null } })
const hold = Verdict.Hold()
const free = Verdict.Free()

// Verdicts of one sale in order, and the events of that sale.
const ends = [
  [[confirm], ["transaction.succeeded"]],
  [[free], ["transaction.failed"]],
  [
    [hold, confirm],
    ["transaction.pending", "transaction.succeeded"]
  ],
  [
    [hold, hold, free],
    ["transaction.pending", "transaction.failed"]
  ],
  [[confirm, free], ["transaction.succeeded"]]
] as const

layer(TestDatabase, { excludeTestServices: true, timeout: "2 minutes" })("the events of a company", (it) => {
  it.effect("contain one event for each transition of a sale, and none for an ignored or repeated verdict", () =>
    Effect.gen(function* () {
      const ledger = yield* replica
      for (const [index, [verdicts, expected]] of ends.entries()) {
        const company = 1 + index
        yield* turnOn(company)
        yield* opened(ledger, company, 10_000)
        const order = yield* reservedOrder(ledger, intentOf(company, "k", 5000))
        for (const verdict of verdicts) {
          yield* ledger.settle({ order, verdict, at: yield* DateTime.now, notFound: 0 })
        }
        assert.deepStrictEqual(yield* typesOf(company), ["balance.deposited", ...expected])
      }
    })
  )

  it.effect("contain the outcome of a reversal", () =>
    Effect.gen(function* () {
      const ledger = yield* replica
      const reversals = yield* reversalsReplica
      yield* turnOn(21)
      yield* opened(ledger, 21, 10_000)
      const order = yield* reservedOrder(ledger, { ...intentOf(21, "k", 5000), reversible: true })
      yield* ledger.settle({ order, verdict: confirm, at: yield* DateTime.now, notFound: 0 })
      for (const [key, verdict] of [
        ["r1", ReversalVerdict.Hold()],
        ["r1", ReversalVerdict.Free()],
        ["r2", ReversalVerdict.Confirm()]
      ] as const) {
        const unresolved =
          key === "r1" && verdict._tag === "Free" ? null : yield* begunOn(reversals, reversalOf(order, key))
        if (unresolved !== null) yield* reversals.settle({ unresolved, verdict, at: yield* DateTime.now, notFound: 0 })
        if (verdict._tag === "Hold" && unresolved !== null) {
          yield* reversals.settle({ unresolved, verdict: ReversalVerdict.Free(), at: yield* DateTime.now, notFound: 0 })
        }
      }
      assert.deepStrictEqual(yield* typesOf(21), [
        "balance.deposited",
        "transaction.succeeded",
        "reversal.failed",
        "transaction.reversed"
      ])
    })
  )

  it.effect("report a low balance only once until the balance recovers", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const ledger = yield* replica
      yield* turnOn(31)
      yield* opened(ledger, 31, 10_000)
      yield* sql`update cell.balance set low_balance_alert = 6000 where company_id = 31`
      const first = yield* reservedOrder(ledger, intentOf(31, "k1", 5000))
      yield* reservedOrder(ledger, intentOf(31, "k2", 1000))
      yield* ledger.settle({ order: first, verdict: free, at: yield* DateTime.now, notFound: 0 })
      yield* sql`update cell.balance set low_balance_alert = 9001 where company_id = 31`
      const events = yield* sql`
        select type, available::int, held::int, low_balance_alert::int
        from cell.event
        where company_id = 31
        order by sequence`
      assert.deepStrictEqual(
        events.map((event) => Object.values(event)),
        [
          ["balance.deposited", null, null, null],
          ["balance.low", 5000, 5000, 6000],
          ["transaction.failed", null, null, null],
          ["balance.recovered", 9000, 1000, 6000],
          ["balance.low", 9000, 1000, 9001]
        ]
      )
    })
  )

  it.effect(
    "are listed with the state of their subject at the time of the event, by the role for reads of one company",
    () =>
      Effect.gen(function* () {
        const events = yield* Effect.provide(Events, EventsPostgres.layer)
        const listed = (company: number) =>
          Effect.map(
            events.list(CompanyId.make(company), { after: Sequence.make(0), limit: 100 }),
            (read) => read.events
          )
        const shown = (yield* listed(21)).map(({ subject, type }) => [
          type,
          subject._tag === "Sale" ? [subject.transaction.status, subject.transaction.reversal?.status] : subject._tag
        ])
        assert.deepStrictEqual(shown, [
          ["balance.deposited", "Movement"],
          ["transaction.succeeded", ["SUCCESS", undefined]],
          ["reversal.failed", ["SUCCESS", "DENIED"]],
          ["transaction.reversed", ["REVERSED", "CONFIRMED"]]
        ])
        const [, low] = yield* listed(31)
        assert.deepStrictEqual(low?.subject, {
          _tag: "Balance",
          available: Centavos.make(5000),
          held: Centavos.make(5000),
          alert: Centavos.make(6000)
        })
        const part = yield* events.list(CompanyId.make(31), { after: Sequence.make(1), limit: 2 })
        assert.deepStrictEqual([part.events.length, part.next], [2, 3])
      })
  )

  it.effect("are not written for a company with events off", () =>
    Effect.gen(function* () {
      const ledger = yield* replica
      yield* opened(ledger, 41, 10_000)
      const order = yield* reservedOrder(ledger, intentOf(41, "k", 5000))
      yield* ledger.settle({ order, verdict: confirm, at: yield* DateTime.now, notFound: 0 })
      assert.deepStrictEqual(yield* typesOf(41), [])
    })
  )

  it.effect("have consecutive numbers in commit order when several servers sell concurrently", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const ledgers = yield* racing(replica)
      yield* inRounds({ count: 30, first: 1001 }, (company) =>
        Effect.gen(function* () {
          yield* turnOn(company)
          yield* opened(ledgers[0] ?? (yield* replica), company, 1_000_000)
          yield* Effect.forEach(
            ledgers,
            (ledger, racer) =>
              Effect.gen(function* () {
                const order = yield* reservedOrder(ledger, intentOf(company, `k${racer}`, 100))
                yield* ledger.settle({ order, verdict: confirm, at: yield* DateTime.now, notFound: 0 })
              }),
            { concurrency: "unbounded", discard: true }
          )
          // Event and ledger entry of a sale are written in one transaction, so both have the same order.
          const rows = yield* sql<{ sequence: number; agrees: boolean }>`
            select e.sequence::int, e.transaction_id is not distinct from l.transaction_id as agrees
            from (select *, row_number() over (order by sequence) as n from cell.event where company_id = ${company}) as e
            join (select *, row_number() over (order by id) as n from cell.entry where company_id = ${company}) as l using (n)
            order by e.sequence`
          assert.deepStrictEqual(
            rows.map(({ sequence }) => sequence),
            Array.from({ length: ledgers.length + 1 }, (_, n) => n + 1)
          )
          assert.isTrue(rows.every(({ agrees }) => agrees))
        })
      )
    })
  )

  it.effect("are turned on by the first webhook, and delivered to at most ten webhooks of the company", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const ledger = yield* replica
      const add = (id: number, types: ReadonlyArray<string>) => sql<{ added: boolean }>`
        select cell.add_webhook(
          ${51}::bigint, ${id}::bigint, 'https://example.com', ${[...types]}::text[], '', '\\x00', now(), 10
        ) as added`
      for (let id = 1; id <= 11; id++) {
        const [row] = yield* add(id, id % 2 === 0 ? [] : ["transaction.succeeded"])
        assert.strictEqual(row?.added, id <= 10)
      }
      yield* ledger.deposit({
        companyId: CompanyId.make(51),
        amount: Amount.make(100),
        reference: "d",
        at: yield* DateTime.now
      })
      const rows = yield* sql<{ id: number }>`
        select webhook_id::int as id from cell.delivery where company_id = 51 order by webhook_id`
      assert.deepStrictEqual(
        rows.map(({ id }) => id),
        [2, 4, 6, 8, 10]
      )
    })
  )
})
