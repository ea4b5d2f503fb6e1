import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Nodes from "../../adapters/postgres/connection/Nodes.ts"
import { CellName, NodeName } from "../../core/domain/Cell.ts"
import { CompanyId } from "../../core/domain/Ids.ts"
import { CellDirectory } from "../../core/ports/CellDirectory.ts"
import { CellMoves } from "../../core/ports/CellMoves.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { addCell, closeCell, openCell } from "../../core/workflows/ManageCells.ts"
import { companyOf } from "../../core/workflows/ManageCompany.ts"
import { testDatabaseUrl, violatedInvariants } from "../support/Database.ts"
import { connectionsTo } from "../support/NodeCells.ts"
import { intentOf, reservedOrder } from "../support/SalesOnPostgres.ts"
import {
  assertEnded,
  busyCompany,
  endCellMove,
  endMove,
  move,
  moveCellTo,
  placeOf,
  portsOfMoves,
  rowsOf,
  sells,
  tagOf,
  together
} from "./Moves.ts"
import { MovesOnTwoNodes, node, onNode, without } from "./TwoNodes.ts"

const [main, norte, sur] = [NodeName.make("main"), CellName.make("norte"), CellName.make("sur")]
const rounds = 3

/** The cells that have rows of a company. */
const homesOf = Effect.fnUntraced(function* (company: number) {
  const there = (yield* placeOf("sur")).node === node
  const homes: Array<string> = []
  for (const cell of ["cell", "norte", "sur"]) {
    const rows = yield* cell === "sur" && there ? onNode(rowsOf(cell, company)) : rowsOf(cell, company)
    if (Object.keys(rows).length > 0) homes.push(cell)
  }
  return homes
})

/** Asserts that a company has rows only in its cell, and that it sells there. */
const assertSells = Effect.fnUntraced(function* (company: number, key: string) {
  const { cell } = yield* companyOf(CompanyId.make(company))
  assert.deepStrictEqual(yield* homesOf(company), [cell as string])
  assert.strictEqual(yield* sells(company, key), "sold")
  assert.deepStrictEqual(yield* violatedInvariants, [])
})

layer(MovesOnTwoNodes, { excludeTestServices: true, timeout: "5 minutes" })("several operators at once", (it) => {
  it.effect("move one company, which ends in one of the cells that they named", () =>
    Effect.gen(function* () {
      yield* addCell(norte, main)
      yield* busyCompany(300)
      for (let round = 1; round <= rounds; round++) {
        const tags = yield* Effect.forEach(["sur", "norte", "cell", "sur"], (cell) => tagOf(move(300, cell)), together)
        assertEnded(tags, ["CompanyMoving", "CellNotOpen"])
        yield* endMove(300)
        yield* assertSells(300, `ronda-${round}`)
      }
    })
  )

  it.effect("move one cell, which ends on one of the nodes that they named", () =>
    Effect.gen(function* () {
      yield* busyCompany(306)
      yield* move(306, "sur")
      for (let round = 1; round <= rounds; round++) {
        const tags = yield* Effect.forEach(
          ["main", node, "main"],
          (target) => tagOf(moveCellTo("sur", target)),
          together
        )
        assertEnded(tags, ["CellMoving", "CellNotMoved"])
        yield* endCellMove(sur)
        assert.deepInclude(yield* placeOf("sur"), { state: "open", movingTo: null })
        yield* assertSells(306, `ronda-${round}`)
      }
      yield* moveCellTo("sur", node)
    })
  )

  it.effect("close a cell before or after its move, and the cell stays closed", () =>
    Effect.gen(function* () {
      for (let round = 1; round <= rounds; round++) {
        const target = round % 2 === 0 ? node : "main"
        const [, closing] = yield* Effect.all([tagOf(moveCellTo("sur", target)), tagOf(closeCell(sur))], together)
        assert.include(["done", "CellMoving"], closing)
        yield* endCellMove(sur)
        const state = closing === "done" ? "closed" : "open"
        assert.deepInclude(yield* placeOf("sur"), { node: target, state, movingTo: null })
        yield* openCell(sur)
        yield* assertSells(306, `cerrada-${round}`)
      }
      yield* moveCellTo("sur", node)
    })
  )

  it.effect("can neither close, open nor add a cell whose move was interrupted", () =>
    Effect.gen(function* () {
      yield* without("directory.place_cell", Effect.exit(moveCellTo("sur", "main")))
      const rows = yield* onNode(rowsOf("sur", 306))
      for (const command of [closeCell(sur), openCell(sur)])
        assert.strictEqual((yield* Effect.flip(command))._tag, "CellMoving")
      assert.strictEqual((yield* Effect.flip(addCell(sur, main)))._tag, "CellNameTaken")
      assert.isFalse(yield* addCell(sur, NodeName.make(node)))
      assert.deepStrictEqual(yield* onNode(rowsOf("sur", 306)), rows)
      assert.deepStrictEqual(yield* violatedInvariants, [])
      yield* moveCellTo("sur", node)
      assert.deepInclude(yield* placeOf("sur"), { node, state: "open", movingTo: null })
      yield* assertSells(306, "interrumpida")
    })
  )

  it.effect("close and open the cells of a company that moves between nodes", () =>
    Effect.gen(function* () {
      yield* busyCompany(312)
      for (let round = 1; round <= rounds; round++) {
        const target = round % 2 === 0 ? "cell" : "sur"
        const changes = [sur, CellName.make("cell")].flatMap((cell) => [closeCell(cell), openCell(cell)])
        const changing = Effect.forEach(changes, tagOf, together)
        const [moving, tags] = yield* Effect.all([tagOf(move(312, target)), changing], together)
        assert.deepStrictEqual([...new Set(tags)], ["done"])
        assert.include(["done", "CellNotOpen", "CompanyMoving"], moving)
        yield* endMove(312)
        yield* Effect.forEach([sur, CellName.make("cell")], openCell)
        yield* assertSells(312, `ronda-${round}`)
      }
    })
  )

  it.effect("give up a cell's move just before the move closes the companies, or while it closes them", () =>
    Effect.gen(function* () {
      yield* moveCellTo("sur", node)
      const context = yield* Effect.context<Layer.Success<typeof MovesOnTwoNodes>>()
      const giveUp = Effect.provide(tagOf(moveCellTo("sur", node)), context)
      const moves = yield* CellMoves
      const early = moveCellTo("sur", "main").pipe(
        Effect.provideService(CellMoves, {
          ...moves,
          whileHeld: (move, work) => Effect.andThen(giveUp, moves.whileHeld(move, work))
        })
      )
      assert.strictEqual(yield* tagOf(early), "CellMoving")
      assert.deepInclude(yield* placeOf("sur"), { node, state: "open", movingTo: null })
      yield* assertSells(306, "antes")

      const tags: Array<string> = []
      const cells = yield* CellDirectory
      const late = moveCellTo("sur", "main").pipe(
        Effect.provideService(CellDirectory, {
          ...cells,
          setCompanies: (...change) =>
            Effect.tap(cells.setCompanies(...change), () => Effect.map(giveUp, (tag) => tags.push(tag)))
        })
      )
      assert.strictEqual(yield* tagOf(late), "done")
      assert.deepStrictEqual(tags, ["CellMoving", "CellMoving"])
      assert.deepInclude(yield* placeOf("sur"), { node: "main", state: "open", movingTo: null })
      yield* assertSells(306, "durante")
      yield* moveCellTo("sur", node)
    })
  )

  it.effect("add a cell on a node while a company and a cell move to or from this node", () =>
    Effect.gen(function* () {
      const tags = yield* Effect.all(
        [
          tagOf(addCell(CellName.make("oeste"), NodeName.make(node))),
          tagOf(move(300, "cell")),
          tagOf(moveCellTo("sur", "main"))
        ],
        together
      )
      assert.isEmpty(tags.filter((tag) => !["done", "CellNotAdded", "CompanyMoving", "CellNotMoved"].includes(tag)))
      yield* Effect.andThen(endMove(300), endCellMove(sur))
      yield* addCell(CellName.make("oeste"), NodeName.make(node))
      yield* assertSells(300, "ampliada")
      yield* assertSells(306, "ampliada")
      // The ids of the moved cell still have the remainder 1.
      const order = yield* reservedOrder(yield* Ledger, intentOf(306, "siguiente", 100))
      assert.strictEqual(order.transactionId % 256, 1)
      yield* moveCellTo("sur", node)
    })
  )

  it.effect("cannot go on with a move to a node that the environment no longer names", () =>
    Effect.gen(function* () {
      yield* busyCompany(318)
      yield* without("directory.place_company", Effect.exit(move(318, "sur")))
      const withoutNodes = Layer.merge(
        connectionsTo(Redacted.make(yield* testDatabaseUrl), { connections_max: 1 }),
        Nodes.layer(new Map())
      )
      const refused = (cell: string) =>
        Effect.provide(Effect.flip(move(318, cell)), Layer.fresh(portsOfMoves(withoutNodes)))
      for (const cell of ["sur", "cell"]) assert.deepInclude(yield* refused(cell), { _tag: "CellsUnreachable", node })
      assert.strictEqual(yield* sells(318, "durante"), "CompanyClosed")
      assert.deepStrictEqual(yield* violatedInvariants, [])
      yield* move(318, "sur")
      yield* assertSells(318, "despues")
    })
  )
})
