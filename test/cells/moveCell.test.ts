import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect, Exit } from "effect"
import { exclusively } from "../../adapters/postgres/schema/SchemaChanges.ts"
import { CellName, NodeName } from "../../core/domain/Cell.ts"
import { CompanyId } from "../../core/domain/Ids.ts"
import { Amount } from "../../core/domain/Money.ts"
import { ReversalVerdict } from "../../core/domain/Reversal.ts"
import { CellDirectory } from "../../core/ports/CellDirectory.ts"
import { CellMoves } from "../../core/ports/CellMoves.ts"
import { Deliveries } from "../../core/ports/Deliveries.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { Outbox } from "../../core/ports/Outbox.ts"
import { Reversals } from "../../core/ports/Reversals.ts"
import { Unresolved } from "../../core/ports/Unresolved.ts"
import { verifyClosings } from "../../core/workflows/CloseDays.ts"
import { closeCell, openCell } from "../../core/workflows/ManageCells.ts"
import { holdingLock } from "../support/Concurrency.ts"
import { violatedInvariants } from "../support/Database.ts"
import { intentOf } from "../support/SalesOnPostgres.ts"
import { assertFrozen, closedRows, lateSettlement } from "./Frozen.ts"
import { beginMove, busyCompany, move, moveCellTo, rowsOf, sells } from "./Moves.ts"
import { delivered } from "./Trade.ts"
import { connectedToNode, movesOnNodesOfEachKind, node, onNode, without } from "./TwoNodes.ts"

const sur = CellName.make("sur")

/** A company of the cell with rows in every table. */
const busyInCell = Effect.fnUntraced(function* (company: number) {
  const busy = yield* busyCompany(company)
  yield* move(company, "sur")
  return busy
})

/** Runs work on a node. */
const on = (where: string) => (where === node ? onNode : <A, E, R>(work: Effect.Effect<A, E, R>) => work)

/** The node, the state and the move target of the cell in the directory. */
const placeOf = Effect.fnUntraced(function* () {
  const cells = yield* (yield* CellDirectory).list
  const cell = cells.find(({ name }) => name === sur)
  return [cell?.node, cell?.state, cell?.movingTo] as ReadonlyArray<string | null | undefined>
})

/** The other data of the cell: positions of later checks, companies that have left, and sequences. */
const restOf = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const sequences = yield* sql`
    select sequencename, last_value, increment_by, start_value from pg_sequences where schemaname = 'sur' order by 1`
  const rows = yield* sql`select (to_jsonb(f) - 'ctid')::text as row from sur.follow_up as f order by 1`
  const departed = yield* sql`select (to_jsonb(d) - 'ctid')::text as row from sur.departed as d order by 1`
  return { sequences, rows, departed }
})

const schemaOn = (where: string) =>
  on(where)(PgClient.PgClient.use((sql) => sql`select from pg_namespace where nspname = 'sur'`))

/** The schema that has the tables of the cell in a Citus cluster. Empty without a cluster. */
const tablesInCluster = PgClient.PgClient.use((sql) => sql`select from pg_namespace where nspname = ${`sur$${node}`}`)

/** The actions in the audit log about moves of cells. */
const cellActions = PgClient.PgClient.use(
  (sql) => sql`select action, details from directory.audit_event where action like 'cell_move%' order by id`
)

/**
 * The command dies before it calls the given database function. The earlier parts of the move are committed by this time.
 * `copies` are the nodes with the schema.
 */
const deaths = [
  { before: "sur.freeze_table", copies: [node], frozen: false },
  { before: "sur.digest_of", copies: [node], frozen: true },
  { before: "directory.place_cell", copies: [node, "main"], frozen: true }
] as const

movesOnNodesOfEachKind("a cell", (it) => {
  it.effect("moves to another node with every row and its ids, while other cells sell", () =>
    Effect.gen(function* () {
      yield* busyCompany(300)
      yield* busyInCell(306)
      yield* busyInCell(342)
      yield* move(342, "cell")
      yield* onNode(
        PgClient.PgClient.use(
          (sql) => sql`insert into sur.follow_up (hours, settled_at, transaction_id) values (6, now(), 7)`
        )
      )
      const rows = yield* onNode(rowsOf("sur", 306))
      const rest = yield* onNode(restOf)
      // The deposit is enough for all sales during the move.
      const deposit = { companyId: CompanyId.make(300), amount: Amount.make(4_000_000), reference: "durante" }
      yield* (yield* Ledger).deposit({ ...deposit, at: yield* DateTime.now })
      const moving = yield* Effect.forkChild(moveCellTo("sur", "main"))
      const sold: Array<string> = []
      while (moving.pollUnsafe() === undefined) sold.push(yield* sells(300, `durante-${sold.length}`))
      assert.deepStrictEqual([...new Set(sold)], ["sold"])
      assert.deepStrictEqual(yield* placeOf(), ["main", "open", null])
      assert.deepStrictEqual(yield* rowsOf("sur", 306), rows)
      assert.deepStrictEqual(yield* restOf, rest)
      assert.isEmpty(yield* schemaOn(node))
      assert.isEmpty(yield* tablesInCluster)
      assert.deepStrictEqual(yield* violatedInvariants, [])
      assert.isEmpty((yield* verifyClosings()).broken)
      const details = { cell: "sur", from: node, to: "main" }
      assert.deepStrictEqual(yield* cellActions, [
        { action: "cell_move_begun", details },
        { action: "cell_moved", details }
      ])
    })
  )

  it.effect("completes its unfinished work on the new node, and continues to sell", () =>
    Effect.gen(function* () {
      const now = DateTime.add(yield* DateTime.now, { hours: 1 })
      const lease = Duration.minutes(1)
      const all = { began: now, now, lease, limit: 100, which: "all" } as const
      const ledger = yield* Ledger
      const sales = (yield* (yield* Unresolved).claim(all)).filter(({ order }) => order.companyId === 306)
      assert.lengthOf(sales, 1)
      for (const { order } of sales) {
        const settled = yield* ledger.settle({ order, verdict: delivered, at: now, notFound: 0 })
        assert.deepStrictEqual([settled.won, settled.status], [true, "SUCCESS"])
      }
      const reversals = yield* Reversals
      const claimed = yield* reversals.claim(all)
      assert.lengthOf(claimed, 3)
      for (const { unresolved } of claimed) {
        const verdict = ReversalVerdict.Confirm()
        assert.isTrue((yield* reversals.settle({ unresolved, verdict, at: now, notFound: 0 })).won)
      }
      const messages = yield* (yield* Outbox).claim({ now, lease, limit: 100 })
      assert.lengthOf(messages, 3)
      const deliveries = yield* (yield* Deliveries).claim({ now, lease, limit: 100, perWebhook: 16, busy: new Map() })
      assert.isNotEmpty(deliveries.filter(({ event }) => event.companyId === 306))
      const repeated = yield* ledger.reserve({ ...intentOf(306, "k1", 1_000), reversible: true })
      assert.strictEqual(repeated._tag, "Replay")
      const reserved = yield* ledger.reserve(intentOf(306, "nueva", 100))
      assert.strictEqual(reserved._tag === "Reservation" && reserved.order.transactionId % 256, 1)
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )

  it.effect("is moved only once, and stays on its node if the move is impossible", () =>
    Effect.gen(function* () {
      assert.isFalse((yield* moveCellTo("sur", "main")).hasMoved)
      const refused = (cell: string, to: string) =>
        Effect.map(Effect.flip(moveCellTo(cell, to)), (error) => [error._tag, "why" in error ? error.why : null])
      assert.deepStrictEqual(yield* refused("cell", node), ["CellNotMoved", "first"])
      assert.deepStrictEqual(yield* refused("oeste", node), ["UnknownCell", null])
      assert.deepStrictEqual(yield* refused("sur", "oeste"), ["CellsUnreachable", "unknown_node"])
      const there = (statement: string) =>
        onNode(exclusively(PgClient.PgClient.use((sql) => sql.unsafe(statement).unprepared)))
      yield* there("create schema sur")
      assert.deepStrictEqual(yield* refused("sur", node), ["CellNotMoved", "taken"])
      yield* there("drop schema sur")
      yield* beginMove(300, "sur")
      assert.deepStrictEqual(yield* refused("sur", node), ["CellNotMoved", "companies"])
      yield* move(300, "cell")
      assert.deepStrictEqual(yield* placeOf(), ["main", "open", null])
      assert.isTrue((yield* moveCellTo("sur", node)).hasMoved)
    })
  )

  it.effect.each(deaths.map((death, index) => ({ ...death, company: 312 + 6 * index })))(
    "whose move dies before $before stays on its node, and the same command ends the move",
    ({ before, company, copies, frozen }) =>
      Effect.gen(function* () {
        const { pending } = yield* busyInCell(company)
        const open = yield* onNode(rowsOf("sur", company))
        const rows = closedRows(open)
        yield* without(before, Effect.exit(moveCellTo("sur", "main")))
        assert.deepStrictEqual(yield* placeOf(), [node, "closed", "main"])
        for (const copy of copies) {
          assert.deepStrictEqual(yield* on(copy)(rowsOf("sur", company)), rows)
          if (frozen) yield* on(copy)(assertFrozen("sur", company, pending))
        }
        assert.lengthOf([...(yield* schemaOn(node)), ...(yield* schemaOn("main"))], copies.length)
        assert.strictEqual(yield* sells(company, "durante"), "CompanyClosed")
        assert.strictEqual(yield* sells(300, `otra-${company}`), "sold")
        assert.strictEqual((yield* Effect.flip(openCell(sur)))._tag, "CellMoving")
        assert.strictEqual((yield* Effect.flip(moveCellTo("sur", "oeste")))._tag, "CellMoving")
        assert.strictEqual((yield* Effect.flip(move(300, "sur")))._tag, "CellNotOpen")
        assert.deepStrictEqual(yield* violatedInvariants, [])
        assert.isTrue((yield* moveCellTo("sur", "main")).hasMoved)
        assert.deepStrictEqual(yield* rowsOf("sur", company), open)
        assert.isTrue(Exit.isSuccess(yield* lateSettlement("sur", pending)))
        assert.strictEqual(yield* sells(company, "despues"), "sold")
        assert.deepStrictEqual(yield* violatedInvariants, [])
        assert.isTrue((yield* moveCellTo("sur", node)).hasMoved)
      })
  )

  it.effect("accepts writes only on the new node while its move is not complete on the old node", () =>
    Effect.gen(function* () {
      const { pending } = yield* busyInCell(330)
      const there = yield* connectedToNode
      const moves = yield* CellMoves
      const begun = { name: sur, source: NodeName.make(node), target: NodeName.make("main") }
      assert.isTrue(yield* moves.begin(begun, yield* DateTime.now))
      yield* moves.transfer({ ...begun, wasOpen: true })
      const lock = yield* Effect.provide(holdingLock("lock table sur.balance in access share mode"), there)
      const busy = yield* Effect.flip(moveCellTo("sur", "main"))
      assert.deepStrictEqual([busy._tag, "why" in busy && busy.why], ["CellMoving", "busy"])
      assert.deepStrictEqual(yield* placeOf(), ["main", "closed", "main"])
      yield* onNode(assertFrozen("sur", 330, pending))
      assert.isTrue(Exit.isSuccess(yield* lateSettlement("sur", pending)))
      assert.deepStrictEqual(yield* violatedInvariants, [])
      const rows = yield* rowsOf("sur", 330)
      yield* lock.release
      assert.isTrue((yield* moveCellTo("sur", "main")).hasMoved)
      assert.deepStrictEqual(yield* Effect.map(rowsOf("sur", 330), closedRows), closedRows(rows))
      assert.isEmpty(yield* schemaOn(node))
      assert.isTrue((yield* moveCellTo("sur", node)).hasMoved)
    })
  )

  it.effect("stays on its node if the move is cancelled, regardless of what was copied", () =>
    Effect.gen(function* () {
      const { pending } = yield* busyInCell(336)
      const rows = yield* onNode(rowsOf("sur", 336))
      for (const { before } of deaths) {
        yield* without(before, Effect.exit(moveCellTo("sur", "main")))
        assert.isFalse((yield* moveCellTo("sur", node)).hasMoved)
        assert.deepStrictEqual(yield* placeOf(), [node, "open", null])
        assert.deepStrictEqual(yield* onNode(rowsOf("sur", 336)), rows)
        assert.isEmpty(yield* schemaOn("main"))
        assert.deepStrictEqual(yield* violatedInvariants, [])
      }
      assert.strictEqual(yield* sells(336, "despues"), "sold")
      assert.isTrue(Exit.isSuccess(yield* onNode(lateSettlement("sur", pending))))
    })
  )

  it.effect("stays closed after its move if it was closed before", () =>
    Effect.gen(function* () {
      yield* closeCell(sur)
      assert.isTrue((yield* moveCellTo("sur", "main")).hasMoved)
      assert.deepStrictEqual(yield* placeOf(), ["main", "closed", null])
      assert.strictEqual(yield* sells(336, "cerrada"), "CompanyClosed")
      yield* openCell(sur)
      assert.strictEqual(yield* sells(336, "abierta"), "sold")
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )
})
