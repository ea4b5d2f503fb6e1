import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect, Exit, Fiber } from "effect"
import { CompanyId } from "../../core/domain/Ids.ts"
import { ReversalVerdict } from "../../core/domain/Reversal.ts"
import { CompanyMoves } from "../../core/ports/CompanyMoves.ts"
import { Deliveries } from "../../core/ports/Deliveries.ts"
import { FundingProposals } from "../../core/ports/FundingProposals.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { Outbox } from "../../core/ports/Outbox.ts"
import { Reversals } from "../../core/ports/Reversals.ts"
import { Unresolved } from "../../core/ports/Unresolved.ts"
import { verifyClosings } from "../../core/workflows/CloseDays.ts"
import { holdingLock } from "../support/Concurrency.ts"
import { violatedInvariants } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { intentOf } from "../support/SalesOnPostgres.ts"
import { assertFrozen, closedRows, lateSettlement } from "./Frozen.ts"
import { actionsOf, beginMove, busyCompany, move, rowsOf, sells } from "./Moves.ts"
import { delivered } from "./Trade.ts"
import { connectedToNode, movesOnNodesOfEachKind, onNode, without } from "./TwoNodes.ts"

/**
 * The command dies before it calls the given database function. The earlier parts of the move are committed by this time.
 * `own` is the company's cell, and `copies` are the cells with the company's rows.
 */
const deaths = [
  { before: "freeze_table", cell: "sur", own: "cell", copies: ["cell"] },
  { before: "digest_of", cell: "sur", own: "cell", copies: ["cell"] },
  { before: "place_company", cell: "directory", own: "cell", copies: ["cell", "sur"] },
  { before: "delete_company", cell: "cell", own: "sur", copies: ["cell", "sur"] }
] as const

const inCell = (cell: string) => (cell === "sur" ? onNode : <A, E, R>(work: Effect.Effect<A, E, R>) => work)

movesOnNodesOfEachKind("a company that moves between nodes", (it) => {
  it.effect("keeps every row unchanged", () =>
    Effect.gen(function* () {
      yield* busyCompany(300)
      const before = yield* rowsOf("cell", 300)
      assert.isAbove(Object.keys(before).length, 19)
      const rows = Object.values(before).flat().length
      const moved = { source: "cell", cell: "sur", hasMoved: true, rows, lostNode: null }
      assert.deepStrictEqual<unknown>(yield* move(300, "sur"), moved)
      assert.deepStrictEqual(yield* onNode(rowsOf("sur", 300)), before)
      assert.deepStrictEqual(yield* rowsOf("cell", 300), {})
      assert.deepStrictEqual(yield* violatedInvariants, [])
      assert.isEmpty((yield* verifyClosings()).broken)
      assert.deepStrictEqual(yield* actionsOf(300), ["company_move_begun", "company_moved"])
    })
  )

  it.effect("completes its unfinished work on the new node, and continues to sell", () =>
    Effect.gen(function* () {
      const now = DateTime.add(yield* DateTime.now, { hours: 1 })
      const lease = Duration.minutes(1)
      const all = { began: now, now, lease, limit: 100, which: "all" } as const
      const ledger = yield* Ledger
      const sales = yield* (yield* Unresolved).claim(all)
      assert.lengthOf(sales, 1)
      for (const { order } of sales) {
        const settled = yield* ledger.settle({ order, verdict: delivered, at: now, notFound: 0 })
        assert.deepStrictEqual([settled.won, settled.status], [true, "SUCCESS"])
      }
      const reversals = yield* Reversals
      const claimed = yield* reversals.claim(all)
      assert.lengthOf(claimed, 1)
      for (const { unresolved } of claimed) {
        const verdict = ReversalVerdict.Confirm()
        const settled = yield* reversals.settle({ unresolved, verdict, at: now, notFound: 0 })
        assert.deepStrictEqual([settled.won, settled.status], [true, "CONFIRMED"])
      }
      const messages = yield* (yield* Outbox).claim({ now, lease, limit: 100 })
      assert.lengthOf(messages, 1)
      const deliveries = yield* (yield* Deliveries).claim({ now, lease, limit: 100, perWebhook: 16, busy: new Map() })
      assert.isNotEmpty(deliveries)
      const proposals = yield* FundingProposals
      const [proposal] = yield* proposals.list(CompanyId.make(300), 1)
      if (proposal === undefined) return assert.fail("the proposal is missing")
      const confirmed = yield* proposals.confirm(proposal, { by: "luis", at: yield* DateTime.now })
      assert.strictEqual(confirmed._tag, "Recorded")
      const repeated = yield* ledger.reserve({ ...intentOf(300, "k1", 1_000), reversible: true })
      assert.strictEqual(repeated._tag, "Replay")
      assert.strictEqual(yield* sells(300, "nueva"), "sold")
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )

  it.effect("continues to sell after it comes back from a cell that has assigned higher ids", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* onNode(
        PgClient.PgClient.use((there) => there`select setval('sur.transaction_id'::regclass, 256 * 100000 + 1)`)
      )
      assert.strictEqual(yield* sells(300, "alta"), "sold")
      assert.isTrue((yield* move(300, "cell")).hasMoved)
      assert.strictEqual(yield* sells(300, "devuelta"), "sold")
      const ids = yield* sql<{ id: number }>`
        select id::int from cell.transaction where company_id = 300 order by id desc limit 2`
      assert.deepStrictEqual(
        ids.map(({ id }) => id % 256),
        [0, 1]
      )
      assert.deepStrictEqual(yield* onNode(rowsOf("sur", 300)), {})
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )

  it.effect.each(deaths.map((death, index) => ({ ...death, company: 306 + 6 * index })))(
    "whose move dies before $before in $cell stays complete in $own, accepts no write, and moves when the command is repeated",
    ({ before, cell, company, copies, own }) =>
      Effect.gen(function* () {
        const { pending } = yield* busyCompany(company)
        const open = yield* rowsOf("cell", company)
        const rows = closedRows(open)
        yield* without(`${cell}.${before}`, Effect.exit(move(company, "sur")))
        const [named] = yield* PgClient.PgClient.use(
          (sql) => sql<{ cell: string }>`select cell from directory.company where id = ${company}`
        )
        assert.strictEqual(named?.cell, own)
        for (const copy of copies) {
          assert.deepStrictEqual(yield* inCell(copy)(rowsOf(copy, company)), rows)
          // The rows of the new cell are no longer frozen once the directory names it. The company is still closed.
          if (copy === "cell" || own === "cell") yield* inCell(copy)(assertFrozen(copy, company, pending))
        }
        assert.strictEqual(yield* sells(company, "durante"), "CompanyClosed")
        assert.strictEqual(yield* sells(301, "durante").pipe(Effect.as("answered")), "answered")
        assert.deepStrictEqual(yield* violatedInvariants, [])
        assert.isTrue((yield* move(company, "sur")).hasMoved)
        assert.deepStrictEqual(yield* onNode(rowsOf("sur", company)), open)
        assert.deepStrictEqual(yield* rowsOf("cell", company), {})
        assert.isTrue(Exit.isSuccess(yield* onNode(lateSettlement("sur", pending))))
        assert.isTrue(Exit.isFailure(yield* lateSettlement("cell", pending)))
        assert.strictEqual(yield* sells(company, "despues"), "sold")
        assert.deepStrictEqual(yield* violatedInvariants, [])
        assert.deepStrictEqual(yield* actionsOf(company), ["company_move_begun", "company_moved"])
      })
  )

  it.effect("stays in its cell if the move is cancelled, regardless of what was copied", () =>
    Effect.gen(function* () {
      const { pending } = yield* busyCompany(330)
      const rows = yield* rowsOf("cell", 330)
      for (const { before, cell, own } of deaths) {
        if (own !== "cell") continue
        yield* without(`${cell}.${before}`, Effect.exit(move(330, "sur")))
        assert.isFalse((yield* move(330, "cell")).hasMoved)
        assert.deepStrictEqual(yield* rowsOf("cell", 330), rows)
        assert.deepStrictEqual(yield* onNode(rowsOf("sur", 330)), {})
        assert.deepStrictEqual(yield* violatedInvariants, [])
      }
      assert.strictEqual(yield* sells(330, "despues"), "sold")
      assert.isTrue(Exit.isFailure(yield* onNode(lateSettlement("sur", pending))))
      assert.isTrue(Exit.isSuccess(yield* lateSettlement("cell", pending)))
    })
  )

  it.effect("is reported by an audit if its copy accepts writes, or if there is a copy without a move", () =>
    Effect.gen(function* () {
      yield* busyCompany(336)
      yield* without("directory.place_company", Effect.exit(move(336, "sur")))
      const frozen = (state: string | null) =>
        onNode(PgClient.PgClient.use((sql) => sql`update sur.departed set frozen = ${state} where company = 336`))
      const located = Effect.map(violatedInvariants, (found) => found.map(({ invariant }) => invariant))
      yield* frozen(null)
      assert.deepStrictEqual(yield* located, ["located"])
      yield* frozen("arriving")
      assert.deepStrictEqual(yield* located, [])
      const sql = yield* PgClient.PgClient
      yield* sql`update directory.company_move set company_id = 300 where company_id = 336`
      assert.deepStrictEqual(yield* located, ["located"])
      yield* sql`update directory.company_move set company_id = 336 where company_id = 300`
      assert.isTrue((yield* move(336, "sur")).hasMoved)
    })
  )

  it.effect("is moved by a second command while the first command has lost the directory and still runs", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* busyCompany(342)
      const rows = yield* rowsOf("cell", 342)
      const there = yield* connectedToNode
      yield* without("sur.digest_of", Effect.exit(move(342, "sur")))
      const lock = yield* Effect.provide(holdingLock("lock table sur.option in share mode"), there)
      const first = yield* Effect.forkChild(Effect.exit(move(342, "sur")))
      const waiting = Effect.provide(
        PgClient.PgClient.use(
          (node) => node`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%delete_company%'`
        ),
        there
      )
      yield* eventually(waiting, (found) => found.length > 0)
      yield* sql`
        select pg_terminate_backend(pid)
        from pg_locks
        where locktype = 'advisory' and classid = 7249021 and objid = hashint8(342)::oid`
      // The first command holds the row in sur.departed, so the second command waits for this row or finds it locked.
      const second = yield* Effect.forkChild(Effect.exit(move(342, "cell")))
      yield* lock.release
      assert.isTrue(Exit.isFailure(yield* Fiber.join(first)))
      yield* Fiber.join(second)
      assert.isFalse((yield* move(342, "cell")).hasMoved)
      assert.deepStrictEqual(yield* rowsOf("cell", 342), rows)
      assert.deepStrictEqual(yield* onNode(rowsOf("sur", 342)), {})
      assert.deepStrictEqual(yield* violatedInvariants, [])
      assert.strictEqual(yield* sells(342, "despues"), "sold")
    })
  )

  it.effect("also moves the change that a transaction was writing when the company was frozen", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* busyCompany(354)
      const begun = yield* beginMove(354, "sur")
      // An earlier move has left its triggers, so the freeze locks no table.
      for (const table of Object.keys(yield* rowsOf("cell", 354))) yield* sql`select cell.freeze_table(${table}, 354)`
      const writer = yield* holdingLock("update cell.sms set tries = 7 where company_id = 354")
      const moving = yield* Effect.forkChild(CompanyMoves.use((moves) => moves.transfer(begun)))
      // The move reads the locks of the writers, after it has frozen the company.
      const waiting = sql`
        select from pg_stat_activity, cell.departed
        where datname = current_database() and query like ${"%RowShareLock%"} and company = 354 and frozen = 'leaving'`
      yield* eventually(waiting, (rows) => rows.length > 0)
      assert.deepStrictEqual(yield* violatedInvariants, [])
      assert.deepStrictEqual(yield* onNode(rowsOf("sur", 354)), {})
      yield* writer.release
      yield* Fiber.join(moving)
      yield* move(354, "sur")
      const messages = yield* onNode(
        PgClient.PgClient.use((there) => there`select tries from sur.sms where company_id = 354`)
      )
      assert.deepStrictEqual(messages, [{ tries: 7 }])
    })
  )

  it.effect("is frozen although the move of another company removes old triggers meanwhile", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { pending } = yield* busyCompany(360)
      const begun = yield* beginMove(360, "sur")
      const waiting = (table: string) => sql`
        select from pg_stat_activity as a join pg_locks as l on l.pid = a.pid and not l.granted
        where a.datname = current_database() and a.query like '%freeze_table%' and l.relation = ${`cell.${table}`}::regclass`
      // An earlier move has left the triggers of a table. Another move is removing them.
      yield* sql`select cell.freeze_table('sms', 360)`
      const removing = yield* holdingLock("select cell.thaw_table('sms', false)")
      const reading = yield* holdingLock("lock table cell.balance in share mode")
      const transfer = CompanyMoves.use((moves) => moves.transfer(begun))
      const moving = yield* Effect.forkChild(without("sur.digest_of", Effect.exit(transfer)))
      yield* eventually(waiting("sms"), (rows) => rows.length > 0)
      yield* removing.release
      // The balance is frozen last. Meanwhile another move removes triggers of companies that are not frozen.
      yield* eventually(waiting("balance"), (rows) => rows.length > 0)
      yield* sql`select cell.thaw_table('option', false)`
      yield* reading.release
      yield* Fiber.join(moving)
      yield* assertFrozen("cell", 360, pending)
      assert.isTrue((yield* move(360, "sur")).hasMoved)
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )

  it.effect("is refused another target while it moves", () =>
    Effect.gen(function* () {
      yield* busyCompany(348)
      yield* beginMove(348, "sur")
      yield* without("sur.freeze_table", Effect.exit(move(348, "sur")))
      assert.strictEqual((yield* Effect.flip(move(348, "oeste")))._tag, "CompanyMoving")
      assert.isTrue((yield* move(348, "sur")).hasMoved)
    })
  )
})
