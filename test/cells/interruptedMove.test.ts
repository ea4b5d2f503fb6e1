import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { CellName, type CompanyMove } from "../../core/domain/Cell.ts"
import { CompanyMoves } from "../../core/ports/CompanyMoves.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { closeCell, openCell } from "../../core/workflows/ManageCells.ts"
import { holdingLock } from "../support/Concurrency.ts"
import { violatedInvariants } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { intentOf, reservedOrder } from "../support/SalesOnPostgres.ts"
import { actionsOf, beginMove, busyCompany, MovesOnThreeCells, move, rowsOf, sells } from "./Moves.ts"
import { trade } from "./Trade.ts"

const closedIn = Effect.fnUntraced(function* (cell: string, company: number) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ closed: boolean }>`
    select closed from ${sql(`${cell}.balance`)} where company_id = ${company}`
  return row?.closed
})

const transfer = (begun: CompanyMove) => CompanyMoves.use((moves) => moves.transfer(begun))

layer(MovesOnThreeCells, { excludeTestServices: true, timeout: "5 minutes" })("a move that is interrupted", (it) => {
  it.effect("is finished by the same command, whichever step was the last", () =>
    Effect.gen(function* () {
      // The steps that are done before the process dies.
      const steps = [
        () => Effect.void,
        (begun: CompanyMove) => transfer(begun),
        // The connection died after the commit, and the transaction is sent again.
        (begun: CompanyMove) => Effect.andThen(transfer(begun), transfer(begun))
      ]
      for (const [index, step] of steps.entries()) {
        const company = 300 + 3 * index
        yield* busyCompany(company)
        const before = yield* rowsOf("cell", company)
        yield* step(yield* beginMove(company, "norte"))
        assert.strictEqual(yield* sells(company, "durante"), "CompanyClosed")
        assert.deepStrictEqual(yield* violatedInvariants, [])
        assert.isTrue((yield* move(company, "norte")).hasMoved)
        assert.deepStrictEqual(yield* rowsOf("norte", company), before)
        assert.deepStrictEqual(yield* rowsOf("cell", company), {})
        assert.strictEqual(yield* sells(company, "despues"), "sold")
        assert.deepStrictEqual(yield* actionsOf(company), ["company_moved"])
      }
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )

  it.effect("leaves every row in its place if its transaction is killed, and can then be finished", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* busyCompany(309)
      const before = yield* rowsOf("cell", 309)
      const begun = yield* beginMove(309, "norte")
      // The webhook table is one of the last tables to be moved.
      const lock = yield* holdingLock("select from cell.webhook where company_id = 309 for update")
      const moving = yield* Effect.forkChild(transfer(begun))
      const waiting = sql<{ pid: number }>`
        select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%move_company(%'`
      const [session] = yield* eventually(waiting, (rows) => rows.length > 0)
      const interrupted = yield* Effect.forkChild(Fiber.interrupt(moving))
      yield* sql`select pg_terminate_backend(${session?.pid ?? 0})`
      yield* Fiber.join(interrupted)
      yield* eventually(waiting, (rows) => rows.length === 0)
      assert.deepStrictEqual(yield* rowsOf("norte", 309), {})
      yield* lock.release
      assert.strictEqual(yield* sells(309, "durante"), "CompanyClosed")
      assert.isTrue((yield* move(309, "norte")).hasMoved)
      assert.deepStrictEqual(yield* rowsOf("norte", 309), before)
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )

  it.effect("also moves the rows that a transaction was writing when the company was closed", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* trade(327)
      const writer = yield* holdingLock(`
        insert into cell.option (company_id, id, service_id, identifier, reference, name, price, expires_at)
        values (327, 'o9', 1, '8095550123', 'P-1', 'Plan', 100, now() + interval '1 hour')`)
      const moving = yield* Effect.forkChild(move(327, "norte"))
      yield* eventually(sql`select from directory.company_move where company_id = 327`, (rows) => rows.length > 0)
      // The move still waits after this audit. Without the writer, the move of a small company would end before the audit.
      assert.deepStrictEqual(yield* violatedInvariants, [])
      assert.isUndefined((yield* rowsOf("norte", 327)).balance)
      yield* writer.release
      yield* Fiber.join(moving)
      assert.lengthOf((yield* rowsOf("norte", 327)).option ?? [], 1)
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )

  it.effect("is cancelled by a move to the company's current cell", () =>
    Effect.gen(function* () {
      yield* trade(312)
      const before = yield* rowsOf("cell", 312)
      yield* beginMove(312, "norte")
      assert.isFalse((yield* move(312, "cell")).hasMoved)
      assert.deepStrictEqual(yield* rowsOf("cell", 312), before)
      assert.strictEqual(yield* sells(312, "despues"), "sold")
      assert.deepStrictEqual(yield* actionsOf(312), ["company_move_abandoned"])
    })
  )

  it.effect("refuses a move to another cell", () =>
    Effect.gen(function* () {
      yield* trade(315)
      yield* beginMove(315, "norte")
      const refused = yield* Effect.flip(move(315, "sur"))
      if (refused._tag !== "CompanyMoving") return assert.fail(refused._tag)
      assert.deepStrictEqual<ReadonlyArray<string>>([refused.target, refused.why], ["norte", "other"])
      yield* move(315, "norte")
      assert.strictEqual(yield* sells(315, "despues"), "sold")
    })
  )

  it.effect("does nothing while another transaction moves the company", () =>
    Effect.gen(function* () {
      yield* trade(318)
      const begun = yield* beginMove(318, "norte")
      const lock = yield* holdingLock("select pg_advisory_xact_lock(7249021, hashint8(318))")
      assert.deepStrictEqual(yield* transfer(begun), Option.none())
      yield* lock.release
      assert.isTrue(Option.isSome(yield* transfer(begun)))
      yield* move(318, "norte")
    })
  )

  it.effect("leaves the company closed if its new cell was closed during the move, until the cell is open", () =>
    Effect.gen(function* () {
      yield* trade(321)
      yield* beginMove(321, "norte")
      yield* closeCell(CellName.make("norte"))
      assert.strictEqual((yield* move(321, "norte")).cell, "norte")
      assert.isTrue(yield* closedIn("norte", 321))
      assert.strictEqual((yield* Effect.flip(move(324, "norte")))._tag, "CellNotOpen")
      yield* openCell(CellName.make("norte"))
      assert.strictEqual(yield* sells(321, "despues"), "sold")
    })
  )

  it.effect("keeps the company closed when an operator opens the cell that the company leaves", () =>
    Effect.gen(function* () {
      yield* trade(324)
      yield* closeCell(CellName.make("cell"))
      yield* beginMove(324, "norte")
      yield* openCell(CellName.make("cell"))
      assert.isTrue(yield* closedIn("cell", 324))
      yield* move(324, "norte")
      assert.isFalse(yield* closedIn("norte", 324))
      const order = yield* reservedOrder(yield* Ledger, intentOf(324, "despues", 100))
      assert.strictEqual(order.transactionId % 256, 1)
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )
})
