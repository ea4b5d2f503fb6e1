import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { CellName, NodeName } from "../../core/domain/Cell.ts"
import { CellMoves } from "../../core/ports/CellMoves.ts"
import { clearNode } from "../../core/workflows/ClearNode.ts"
import { closeCell, openCell } from "../../core/workflows/ManageCells.ts"
import { violatedInvariants } from "../support/Database.ts"
import { assertFrozen, lateSettlement } from "./Frozen.ts"
import { bringBack, clear, leftovers, lose, refusal } from "./LostServer.ts"
import { beginCellMove, busyCompany, move, moveCellTo, placeOf, rowsOf, sells } from "./Moves.ts"
import { MovesOnTwoServers, node, onNode, without } from "./TwoNodes.ts"

const sur = CellName.make("sur")
const isSourceLost = { isSourceLost: true }

/** Interrupts a move of the cell before it calls the given database function. */
const before = (name: string, target: string, where?: string) =>
  without(name, Effect.exit(moveCellTo("sur", target)), where)

/** Steps of a move to the node `este`. The node is lost after the step. `hasCopy`: whether the lost node has the schema. */
const beforeTheSwitch = [
  { step: "the move began", until: beginCellMove("main", node), hasCopy: false },
  { step: "the source was frozen", until: before("sur.digest_of", node, "main"), hasCopy: false },
  { step: "the schema was copied", until: before("directory.place_cell", node), hasCopy: true }
]

/** The steps of a move from the node `este` before the directory names the target. */
const stepsFromNode = [
  { step: "the move began", until: beginCellMove(node, "main") },
  { step: "the source was frozen", until: before("sur.digest_of", "main") },
  { step: "the schema was copied", until: before("directory.place_cell", "main") }
]

const numbered = <Case>(cases: ReadonlyArray<Case>, first: number) =>
  cases.map((each, index) => ({ ...each, company: first + 6 * index }))

/** A company of the cell with rows in every table. The cell is on the given node. */
const busyOn = Effect.fnUntraced(function* (where: string, company: number) {
  const busy = yield* busyCompany(company)
  yield* move(company, "sur")
  yield* moveCellTo("sur", where)
  return busy
})

layer(MovesOnTwoServers, { excludeTestServices: true, timeout: "8 minutes" })("a cell that moves", (it) => {
  it.effect.each(numbered(beforeTheSwitch, 300))(
    "stays and sells if the target is lost after $step",
    ({ company, hasCopy, until }) =>
      Effect.gen(function* () {
        const { pending } = yield* busyOn("main", company)
        const rows = yield* rowsOf("sur", company)
        yield* until
        yield* lose
        assert.strictEqual(yield* refusal(moveCellTo("sur", node)), `target_down at ${node}`)
        assert.strictEqual(yield* refusal(moveCellTo("sur", "main", isSourceLost)), "source_answers at main")
        const givenUp = yield* moveCellTo("sur", "main")
        assert.deepStrictEqual<unknown>(givenUp, {
          source: "main",
          node: "main",
          hasMoved: false,
          rows: null,
          lostNode: node
        })
        assert.deepStrictEqual(yield* placeOf("sur"), { node: "main", state: "open", movingTo: null })
        assert.deepStrictEqual(yield* rowsOf("sur", company), rows)
        assert.strictEqual(yield* sells(company, "despues"), "sold")

        yield* bringBack
        assert.deepStrictEqual<unknown>(yield* leftovers, hasCopy ? [{ cell: "sur", companyId: null }] : [])
        if (hasCopy) {
          yield* onNode(assertFrozen("sur", company, pending))
          assert.strictEqual(yield* refusal(moveCellTo("sur", node)), "CellNotMoved")
        }
        assert.strictEqual(yield* sells(company, "vuelta"), "sold")
        yield* clear
        assert.isTrue(Exit.isSuccess(yield* lateSettlement("sur", pending)))
        const now = yield* rowsOf("sur", company)
        assert.isTrue((yield* moveCellTo("sur", node)).hasMoved)
        assert.deepStrictEqual(yield* onNode(rowsOf("sur", company)), now)
        assert.deepStrictEqual(yield* violatedInvariants, [])
      })
  )

  it.effect("waits for a target that is lost after the directory names it", () =>
    Effect.gen(function* () {
      yield* busyOn("main", 318)
      const rows = yield* rowsOf("sur", 318)
      yield* (yield* CellMoves).transfer(yield* beginCellMove("main", node))
      yield* lose
      assert.strictEqual(yield* refusal(moveCellTo("sur", node)), `place_down at ${node}`)
      assert.strictEqual(yield* refusal(moveCellTo("sur", node, isSourceLost)), `place_down at ${node}`)
      assert.strictEqual(yield* refusal(moveCellTo("sur", "main")), "CellMoving")
      yield* bringBack
      assert.isTrue((yield* moveCellTo("sur", node)).hasMoved)
      assert.deepStrictEqual(yield* onNode(rowsOf("sur", 318)), rows)
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )

  it.effect.each(numbered(stepsFromNode, 324))(
    "stays closed if the source is lost after $step, until the source is back",
    ({ company, until }) =>
      Effect.gen(function* () {
        yield* busyOn(node, company)
        const rows = yield* onNode(rowsOf("sur", company))
        yield* until
        yield* lose
        for (const command of [
          moveCellTo("sur", "main"),
          moveCellTo("sur", "main", isSourceLost),
          moveCellTo("sur", node)
        ])
          assert.strictEqual(yield* refusal(command), `place_down at ${node}`)
        yield* bringBack
        assert.strictEqual(yield* refusal(moveCellTo("sur", "main", isSourceLost)), `source_answers at ${node}`)
        assert.isTrue((yield* moveCellTo("sur", "main")).hasMoved)
        assert.deepStrictEqual(yield* rowsOf("sur", company), rows)
        assert.deepStrictEqual(yield* leftovers, [])
        assert.strictEqual(yield* sells(company, "despues"), "sold")
        assert.deepStrictEqual(yield* violatedInvariants, [])
      })
  )

  it.effect(
    "leaves a source that is lost after the directory names the target, and the old schema accepts no write",
    () =>
      Effect.gen(function* () {
        const { pending } = yield* busyOn(node, 342)
        const rows = yield* onNode(rowsOf("sur", 342))
        yield* (yield* CellMoves).transfer(yield* beginCellMove(node, "main"))
        assert.strictEqual(yield* refusal(moveCellTo("sur", "main", isSourceLost)), `source_answers at ${node}`)
        yield* lose
        assert.strictEqual(yield* refusal(moveCellTo("sur", "main")), `source_down at ${node}`)
        assert.strictEqual((yield* moveCellTo("sur", "main", isSourceLost)).lostNode, node)
        assert.deepStrictEqual(yield* placeOf("sur"), { node: "main", state: "open", movingTo: null })
        assert.deepStrictEqual(yield* rowsOf("sur", 342), rows)
        assert.strictEqual(yield* sells(342, "despues"), "sold")
        assert.isTrue(Exit.isSuccess(yield* lateSettlement("sur", pending)))

        yield* bringBack
        assert.deepStrictEqual<unknown>(yield* leftovers, [{ cell: "sur", companyId: null }])
        yield* onNode(assertFrozen("sur", 342, pending))
        assert.strictEqual(yield* sells(342, "vuelta"), "sold")
        yield* clear
      })
  )

  it.effect("stays closed after a move without its source if the cell was closed before", () =>
    Effect.gen(function* () {
      yield* busyOn(node, 348)
      yield* closeCell(sur)
      yield* (yield* CellMoves).transfer({ ...(yield* beginCellMove(node, "main")), wasOpen: false })
      yield* lose
      yield* moveCellTo("sur", "main", isSourceLost)
      assert.deepStrictEqual(yield* placeOf("sur"), { node: "main", state: "closed", movingTo: null })
      assert.strictEqual(yield* sells(348, "cerrada"), "CompanyClosed")
      yield* openCell(sur)
      assert.strictEqual(yield* sells(348, "abierta"), "sold")
      yield* bringBack
      yield* clear
    })
  )

  it.effect("moves only after the frozen rows of a cancelled company move are removed from the cell", () =>
    Effect.gen(function* () {
      yield* moveCellTo("sur", node)
      yield* busyCompany(354)
      yield* without("directory.place_company", Effect.exit(move(354, "sur")))
      yield* lose
      yield* move(354, "cell")
      yield* bringBack
      assert.strictEqual(yield* refusal(moveCellTo("sur", "main")), "CellNotMoved")
      assert.deepStrictEqual(yield* placeOf("sur"), { node, state: "open", movingTo: null })
      yield* clear
      assert.isTrue((yield* moveCellTo("sur", "main")).hasMoved)
      assert.isTrue((yield* moveCellTo("sur", node)).hasMoved)
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )

  it.effect("does not begin a move whose source is declared lost", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusal(moveCellTo("sur", "main", isSourceLost)), `not_begun at ${node}`)
    })
  )

  it.effect("keeps its old schema on the source while its new schema is missing", () =>
    Effect.gen(function* () {
      yield* (yield* CellMoves).transfer(yield* beginCellMove(node, "main"))
      yield* lose
      yield* moveCellTo("sur", "main", isSourceLost)
      yield* bringBack
      const sql = yield* PgClient.PgClient
      yield* sql`alter schema sur rename to hidden`
      const kept = [{ cell: sur, companyId: null, isRemoved: false }]
      assert.deepStrictEqual<unknown>(yield* clearNode(NodeName.make(node)), kept)
      assert.lengthOf(yield* leftovers, 1)
      yield* sql`alter schema hidden rename to sur`
      yield* clear
    })
  )
})
