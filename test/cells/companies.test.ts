import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Duration, Effect, Layer } from "effect"
import { CompanyId } from "../../core/domain/Ids.ts"
import { periodsAt } from "../../core/domain/LocalTime.ts"
import { Accounts } from "../../core/ports/Accounts.ts"
import { Closings } from "../../core/ports/Closings.ts"
import { DeliveryReports } from "../../core/ports/Deliveries.ts"
import { Events } from "../../core/ports/Events.ts"
import { FundingProposals } from "../../core/ports/FundingProposals.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { Outbox } from "../../core/ports/Outbox.ts"
import { Webhooks } from "../../core/ports/Webhooks.ts"
import { closeThrough, verifyClosings } from "../../core/workflows/CloseDays.ts"
import { intentOf } from "../support/SalesOnPostgres.ts"
import { cellNames } from "../support/SeveralCells.ts"
import { filledTables, portsOfCells, strayRows, ThreeCells, violationsInCells } from "./ThreeCells.ts"
import { trade } from "./Trade.ts"

const companies = Arr.range(300, 308)

const TestLayer = Layer.provideMerge(portsOfCells, ThreeCells)

layer(TestLayer, { excludeTestServices: true, timeout: "2 minutes" })("companies of three cells", (it) => {
  it.effect("sell, reverse and insure at the same time, each in its own cell", () =>
    Effect.gen(function* () {
      yield* Effect.forEach(companies, trade, { concurrency: "unbounded", discard: true })
      assert.deepStrictEqual(yield* strayRows, [])
      assert.deepStrictEqual(yield* violationsInCells, [])
      const [first, ...others] = yield* Effect.forEach(cellNames, filledTables)
      assert.includeMembers(first?.slice() ?? [], ["transaction", "entry", "reversal", "insurance", "sms", "delivery"])
      assert.includeMembers(first?.slice() ?? [], ["question", "replay", "funding_proposal", "idempotency", "event"])
      for (const other of others) assert.deepStrictEqual(other.toSorted(), first?.toSorted())

      const { read } = yield* Accounts
      const periods = periodsAt(yield* DateTime.now)
      for (const company of companies) {
        const account = yield* read(CompanyId.make(company), periods)
        // Two delivered sales of 1,000 are charged, a third is reversed, and one is held. The balance was corrected by 500.
        assert.deepStrictEqual<ReadonlyArray<number>>(
          [account.balance.available, account.balance.held],
          [97_500, 1_000]
        )
      }
    })
  )

  it.effect("have no id twice in a table", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      for (const table of ["transaction", "entry", "reversal", "insurance", "webhook"]) {
        const ids = yield* Effect.forEach(cellNames, (cell) =>
          Effect.map(sql<{ id: number }>`select id::int as id from ${sql(`${cell}.${table}`)}`, (rows) =>
            rows.map(({ id }) => id)
          )
        )
        for (const [ordinal, own] of ids.entries()) {
          assert.isNotEmpty(own, table)
          assert.deepStrictEqual([...new Set(own.map((id) => id % 256))], [ordinal], table)
        }
        assert.strictEqual(new Set(ids.flat()).size, ids.flat().length, table)
      }
    })
  )

  it.effect("get the stored response for a repeated key", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      for (const company of companies) {
        const repeated = yield* Effect.result(ledger.reserve({ ...intentOf(company, "k1", 1_000), reversible: true }))
        assert.strictEqual(repeated._tag === "Success" ? repeated.success._tag : repeated.failure._tag, "Replay")
      }
    })
  )

  it.effect("have their undelivered messages in one list", () =>
    Effect.gen(function* () {
      const outbox = yield* Outbox
      const now = DateTime.add(yield* DateTime.now, { minutes: 2 })
      const claimed = yield* outbox.claim({ now, lease: Duration.seconds(30), limit: 100 })
      assert.deepStrictEqual(
        claimed.map(({ companyId }) => companyId).sort(),
        companies.map((id) => CompanyId.make(id))
      )
      for (const sms of claimed) yield* outbox.record(sms, { _tag: "Failed", reason: "no such phone" }, now)
      const undelivered = yield* outbox.undelivered(100)
      assert.lengthOf(undelivered, companies.length)
      assert.deepStrictEqual(yield* outbox.undelivered(5), undelivered.slice(0, 5))
      assert.deepStrictEqual(
        undelivered,
        undelivered.toSorted(
          (one, other) => DateTime.toEpochMillis(other.createdAt) - DateTime.toEpochMillis(one.createdAt)
        )
      )
    })
  )

  it.effect("have their webhooks in one list, sorted by company", () =>
    Effect.gen(function* () {
      const listed = yield* (yield* Webhooks).list()
      assert.deepStrictEqual(
        listed.map(({ companyId }) => companyId),
        companies.map((id) => CompanyId.make(id))
      )
      const { dueSince } = yield* DeliveryReports
      const waiting = yield* dueSince(
        listed.map(({ companyId, id }) => ({ companyId, webhookId: id })),
        yield* DateTime.now
      )
      assert.deepStrictEqual([...waiting.keys()].sort(), listed.map(({ id }) => id).sort())
      const { turnedOn } = yield* Events
      assert.sameMembers([...(yield* turnedOn([302, 300, 320, 301].map((id) => CompanyId.make(id))))], [300, 301, 302])
    })
  )

  it.effect("have their proposals in one list, newest first", () =>
    Effect.gen(function* () {
      const { list } = yield* FundingProposals
      const newest = yield* list(null, 4)
      assert.lengthOf(newest, 4)
      const all = yield* list(null, 100)
      assert.deepStrictEqual(all.slice(0, 4), newest)
      assert.strictEqual(new Set(all.map(({ number }) => number)).size, companies.length)
      const times = all.map(({ proposedAt }) => DateTime.toEpochMillis(proposedAt))
      assert.deepStrictEqual(
        times,
        times.toSorted((one, other) => other - one)
      )
    })
  )

  it.effect("have one closing for each ended day", () =>
    Effect.gen(function* () {
      const today = periodsAt(yield* DateTime.now).day
      const closings = yield* Closings
      const days = companies.map((id) => ({ companyId: CompanyId.make(id), day: today }))
      assert.deepStrictEqual(yield* closings.unclosed, { days, isComplete: true })
      assert.deepStrictEqual(yield* closeThrough(today), {
        stored: companies.length,
        waiting: [],
        mismatches: [],
        isComplete: true
      })
      assert.deepInclude(yield* verifyClosings(), {
        closings: companies.length,
        companies: companies.length,
        broken: []
      })
      const pages = yield* Effect.forEach([1, 2, 3, 4], (page) =>
        closings.ofCompanies(undefined, {}, { page, perPage: 4 })
      )
      assert.deepStrictEqual(
        pages.map(({ items, total }) => [items.map(({ content }) => content.companyId as number), total]),
        [
          [[300, 301, 302, 303], 9],
          [[304, 305, 306, 307], 9],
          [[308], 9],
          [[], 9]
        ]
      )
      const ofOne = yield* closings.ofCompanies(CompanyId.make(304), {}, { page: 1, perPage: 4 })
      assert.strictEqual(ofOne.total, 1)
      assert.deepStrictEqual(yield* strayRows, [])
      assert.deepStrictEqual(yield* violationsInCells, [])
    })
  )
})
