import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Cause, DateTime, Duration, Effect, Exit, Layer, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import * as InsurancesMemory from "../../adapters/memory/InsurancesMemory.ts"
import { CellName as AdapterCell } from "../../adapters/postgres/connection/Cell.ts"
import * as DeliveriesPostgres from "../../adapters/postgres/events/DeliveriesPostgres.ts"
import * as EventsPostgres from "../../adapters/postgres/events/EventsPostgres.ts"
import * as WebhooksPostgres from "../../adapters/postgres/events/WebhooksPostgres.ts"
import * as InsurancesPostgres from "../../adapters/postgres/insurance/InsurancesPostgres.ts"
import * as AccountsPostgres from "../../adapters/postgres/ledger/AccountsPostgres.ts"
import * as ClosingsPostgres from "../../adapters/postgres/ledger/ClosingsPostgres.ts"
import * as FundingProposalsPostgres from "../../adapters/postgres/ledger/FundingProposalsPostgres.ts"
import * as LedgerPostgres from "../../adapters/postgres/ledger/LedgerPostgres.ts"
import * as ReversalsPostgres from "../../adapters/postgres/ledger/ReversalsPostgres.ts"
import * as StatementPostgres from "../../adapters/postgres/reads/StatementPostgres.ts"
import { isOfClosedCompany } from "../../core/domain/ErrorCatalogue.ts"
import { CompanyId } from "../../core/domain/Ids.ts"
import { zero } from "../../core/domain/Money.ts"
import { ReversalVerdict } from "../../core/domain/Reversal.ts"
import { Accounts } from "../../core/ports/Accounts.ts"
import { Closings } from "../../core/ports/Closings.ts"
import { Deliveries } from "../../core/ports/Deliveries.ts"
import { Events } from "../../core/ports/Events.ts"
import { FundingProposals } from "../../core/ports/FundingProposals.ts"
import { Insurances } from "../../core/ports/Insurances.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { Outbox } from "../../core/ports/Outbox.ts"
import { Reversals } from "../../core/ports/Reversals.ts"
import { Statement } from "../../core/ports/Statement.ts"
import { Unresolved } from "../../core/ports/Unresolved.ts"
import { Webhooks } from "../../core/ports/Webhooks.ts"
import { verifyClosings } from "../../core/workflows/CloseDays.ts"
import { violatedInvariants } from "../support/Database.ts"
import { webhookOf } from "../support/DeliveriesOnPostgres.ts"
import { begunInsurance } from "../support/InsuranceExample.ts"
import { begunOn, intentOf, reservedOrder, reversalOf } from "../support/SalesOnPostgres.ts"
import { busyCompany, MovesOnThreeCells, move, offered, rowsOf } from "./Moves.ts"
import { delivered, trade } from "./Trade.ts"

/** Adapters of a server that does not know yet that companies have left the first cell. */
const outdatedPorts = Layer.fresh(
  Layer.mergeAll(
    AccountsPostgres.accountsLayer,
    ClosingsPostgres.layer,
    DeliveriesPostgres.layer,
    EventsPostgres.layer,
    FundingProposalsPostgres.layer,
    InsurancesPostgres.layer,
    LedgerPostgres.layer,
    ReversalsPostgres.layer,
    WebhooksPostgres.layer
  )
).pipe(
  Layer.provide([InsurancesMemory.vaultLayer, SecureRandom.layerWebCrypto]),
  Layer.provide(Layer.succeed(AdapterCell, "cell"))
)

/** Sells once, and settles the sale. Returns the id of the sale. */
const sold = Effect.fnUntraced(function* (company: number, key: string) {
  const ledger = yield* Ledger
  const order = yield* reservedOrder(ledger, intentOf(company, key, 100))
  yield* ledger.settle({ order, verdict: delivered, at: yield* DateTime.now, notFound: 0 })
  return order.transactionId
})

layer(MovesOnThreeCells, { excludeTestServices: true, timeout: "5 minutes" })("a company that moves", (it) => {
  it.effect("keeps every row unchanged", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* trade(301)
      yield* busyCompany(300)
      const before = yield* rowsOf("cell", 300)
      const tables = yield* sql<{ name: string }>`select name from cell.tables_to_move(false) order by name`
      assert.deepStrictEqual(
        Object.keys(before),
        tables.map(({ name }) => name)
      )
      const other = yield* rowsOf("norte", 301)
      const rows = Object.values(before).flat().length
      assert.deepStrictEqual<unknown>(yield* move(300, "norte"), {
        source: "cell",
        cell: "norte",
        hasMoved: true,
        rows,
        lostNode: null
      })
      assert.deepStrictEqual(yield* rowsOf("norte", 300), before)
      assert.deepStrictEqual(yield* rowsOf("cell", 300), {})
      assert.deepStrictEqual(yield* rowsOf("norte", 301), other)
      assert.deepStrictEqual(yield* violatedInvariants, [])
      assert.isEmpty((yield* verifyClosings()).broken)
    })
  )

  it.effect("breaks off a statement that a client is downloading", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`
        select count(*)
        from generate_series(1, 1500) as i
        cross join lateral cell.deposit(327, 100, 9007199254740991, 'd' || i, now()) as d`
      const { all } = yield* Effect.provide(
        Statement,
        StatementPostgres.layer.pipe(Layer.provide(Layer.succeed(AdapterCell, "cell")))
      )
      const read: Array<number> = []
      const download = Stream.runForEachArray(all(CompanyId.make(327), {}), (entries) => {
        read.push(entries.length)
        return read.length === 1 ? Effect.orDie(move(327, "norte")) : Effect.void
      })
      const exit = yield* Effect.exit(download)
      assert.isTrue(Exit.isFailure(exit) && Cause.pretty(exit.cause).includes("company 327 has left the cell"))
      assert.deepStrictEqual(read, [1000])
    })
  )

  it.effect("is not moved to its own cell or to an unknown cell", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual<unknown>(yield* move(300, "norte"), {
        source: "norte",
        cell: "norte",
        hasMoved: false,
        rows: null,
        lostNode: null
      })
      assert.strictEqual((yield* Effect.flip(move(300, "oeste")))._tag, "UnknownCell")
      assert.strictEqual((yield* Effect.flip(move(999, "sur")))._tag, "UnknownCompany")
    })
  )

  it.effect("completes its unfinished work in the new cell", () =>
    Effect.gen(function* () {
      const now = DateTime.add(yield* DateTime.now, { hours: 1 })
      const lease = Duration.minutes(1)
      const all = { began: now, now, lease, limit: 100, which: "all" } as const
      const ledger = yield* Ledger
      const sales = (yield* (yield* Unresolved).claim(all)).filter(({ order }) => order.companyId === 300)
      assert.lengthOf(sales, 1)
      for (const { order } of sales) {
        const settled = yield* ledger.settle({ order, verdict: delivered, at: now, notFound: 0 })
        assert.deepStrictEqual([settled.won, settled.status], [true, "SUCCESS"])
      }
      const reversals = yield* Reversals
      const claimed = yield* reversals.claim(all)
      assert.lengthOf(claimed, 1)
      for (const { unresolved } of claimed) {
        const settled = yield* reversals.settle({
          unresolved,
          verdict: ReversalVerdict.Confirm(),
          at: now,
          notFound: 0
        })
        assert.deepStrictEqual([settled.won, settled.status], [true, "CONFIRMED"])
      }
      const messages = yield* (yield* Outbox).claim({ now, lease, limit: 100 })
      assert.include(
        messages.map(({ companyId }) => companyId as number),
        300
      )
      const deliveries = yield* (yield* Deliveries).claim({ now, lease, limit: 100, perWebhook: 16, busy: new Map() })
      assert.isNotEmpty(deliveries.filter(({ event }) => event.companyId === 300))
      const proposals = yield* FundingProposals
      const [proposal] = yield* proposals.list(CompanyId.make(300), 1)
      if (proposal === undefined) return assert.fail("the proposal is missing")
      const confirmed = yield* proposals.confirm(proposal, { by: "luis", at: yield* DateTime.now })
      assert.strictEqual(confirmed._tag, "Recorded")
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )

  it.effect("gets the stored responses for its idempotency keys, and continues to sell", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const repeated = yield* ledger.reserve({ ...intentOf(300, "k1", 1_000), reversible: true })
      assert.strictEqual(repeated._tag, "Replay")
      assert.strictEqual((yield* sold(300, "nueva")) % 256, 1)
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )

  it.effect("gets higher ids than its existing ids in a cell that has assigned lower ids", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      for (const { sequence } of yield* sql<{ sequence: string }>`
        select sequence from cell.numbered_columns()`) {
        yield* sql`select setval(${`cell.${sequence}`}::regclass, 256 * 100000)`
      }
      yield* busyCompany(303)
      const [highest] = yield* sql<{ id: number }>`
        select max(id)::int as id from cell.transaction where company_id = 303`
      yield* move(303, "sur")
      const id = yield* sold(303, "nueva")
      assert.isAbove(id, highest?.id ?? Number.POSITIVE_INFINITY)
      assert.strictEqual(id % 256, 2)
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )

  it.effect("comes back, and continues to sell", () =>
    Effect.gen(function* () {
      yield* move(300, "cell")
      yield* sold(300, "devuelta")
      assert.deepStrictEqual(yield* rowsOf("norte", 300), {})
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )

  it.effect("keeps all its sales in the later checks of its new cell", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      for (const [cell, day] of [
        ["cell", "2026-01-02"],
        ["norte", "2026-01-05"]
      ])
        yield* sql`
          insert into ${sql(`${cell}.follow_up`)} (hours, settled_at, transaction_id)
          values (1, ${day}::timestamptz, 7), (6, ${cell === "cell" ? "2026-01-09" : "2026-01-08"}::timestamptz, 7)`
      yield* move(306, "norte")
      const rows = yield* sql`select hours, to_char(settled_at, 'DD') as day from norte.follow_up order by hours`
      assert.deepStrictEqual(rows, [
        { hours: 1, day: "02" },
        { hours: 6, day: "08" }
      ])
    })
  )

  it.effect("is refused by its old cell on every call of a server that does not know of the move", () =>
    Effect.gen(function* () {
      const { pending, unresolved } = yield* busyCompany(309)
      const webhook = yield* webhookOf({ deliveries: yield* Deliveries, webhooks: yield* Webhooks }, 309)
      yield* move(309, "norte")
      const moved = yield* rowsOf("norte", 309)
      const companyId = CompanyId.make(309)
      const at = yield* DateTime.now
      const calls = Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const deliveries = yield* Deliveries
        return {
          sale: (yield* Ledger).reserve(intentOf(309, "otra", 100)),
          reversal: begunOn(yield* Reversals, reversalOf(pending, "otra")),
          limits: (yield* Accounts).configure(companyId, { daily: zero }, at),
          events: (yield* Events).turn(companyId, false, at),
          insurance: begunInsurance(yield* Insurances, 309),
          option: offered("cell", 309),
          webhook: webhookOf({ deliveries, webhooks }, 309),
          removal: webhooks.remove(companyId, webhook.id),
          test: deliveries.test(companyId, webhook.id, at)
        }
      })
      yield* Effect.gen(function* () {
        for (const [name, call] of Object.entries(yield* calls)) {
          const exit = yield* Effect.exit(call as Effect.Effect<unknown, unknown>)
          const refusal = Exit.isFailure(exit) ? Cause.squash(exit.cause) : exit
          assert.isTrue(isOfClosedCompany(refusal), `${name}: ${refusal}`)
        }
        // Late outcomes fail too, so that the server writes them again in the new cell.
        const ledger = yield* Ledger
        const late = ledger.settle({ order: pending, verdict: delivered, at, notFound: 0 })
        assert.isTrue(Exit.isFailure(yield* Effect.exit(late)))
        const reversals = yield* Reversals
        const lateReversal = reversals.settle({ unresolved, verdict: ReversalVerdict.Deny(), at, notFound: 0 })
        assert.isTrue(Exit.isFailure(yield* Effect.exit(lateReversal)))
        const day = { companyId, day: "2026-01-01" }
        assert.isFalse(yield* (yield* Closings).end(day))
      }).pipe(Effect.provide(outdatedPorts))
      assert.deepStrictEqual(yield* rowsOf("cell", 309), {})
      assert.deepStrictEqual(yield* rowsOf("norte", 309), moved)
      const settled = yield* (yield* Ledger).settle({ order: pending, verdict: delivered, at, notFound: 0 })
      assert.deepStrictEqual([settled.won, settled.status], [true, "SUCCESS"])
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )
})
