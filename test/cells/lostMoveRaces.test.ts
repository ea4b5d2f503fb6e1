import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CellName, NodeName } from "../../core/domain/Cell.ts"
import { CellMoves } from "../../core/ports/CellMoves.ts"
import { clearNode } from "../../core/workflows/ClearNode.ts"
import { violatedInvariants } from "../support/Database.ts"
import { bringBack, clear, lose } from "./LostServer.ts"
import {
  actionsOf,
  assertEnded,
  beginCellMove,
  busyCompany,
  endCellMove,
  endMove,
  move,
  moveCellTo,
  placeOf,
  rowsOf,
  sells,
  tagOf,
  together
} from "./Moves.ts"
import { MovesOnTwoServers, node, onNode, without } from "./TwoNodes.ts"

const este = NodeName.make(node)
const surName = CellName.make("sur")
const isSourceLost = { isSourceLost: true }
const rounds = 2

/** Asserts that each command has ended or was refused in a known way. */
const assertKnown = (results: ReadonlyArray<string>) =>
  assertEnded(results, ["CellMoving", "CellNotMoved", "CellsUnreachable", "CompanyMoving"])

const countOf = (actions: ReadonlyArray<string>, action: string) => actions.filter((each) => each === action).length

const cellActions = Effect.map(
  PgClient.PgClient.use(
    (sql) => sql<{ action: string }>`
      select action from directory.audit_event where company_id is null order by id`
  ),
  (rows) => rows.map(({ action }) => action)
)

layer(MovesOnTwoServers, { excludeTestServices: true, timeout: "8 minutes" })("several operators at once", (it) => {
  it.effect("end a company's move with a lost server only once, and clear the server only once", () =>
    Effect.gen(function* () {
      yield* busyCompany(300)
      for (let round = 1; round <= rounds; round++) {
        yield* without("directory.place_company", Effect.exit(move(300, "sur")))
        yield* lose
        const inCell = tagOf(move(300, "cell"))
        assertKnown(
          yield* Effect.all(
            [inCell, tagOf(move(300, "sur")), inCell, tagOf(move(300, "cell", isSourceLost)), inCell],
            together
          )
        )
        assert.strictEqual(countOf(yield* actionsOf(300), "company_move_abandoned"), round)
        assert.strictEqual(yield* sells(300, `cedida-${round}`), "sold")

        const rows = yield* rowsOf("cell", 300)
        yield* bringBack
        assertKnown(
          yield* Effect.all([tagOf(clearNode(este)), tagOf(move(300, "sur")), tagOf(clearNode(este))], together)
        )
        yield* endMove(300)
        yield* move(300, "sur")
        yield* clear
        assert.deepStrictEqual(yield* onNode(rowsOf("sur", 300)), rows)
        assert.deepStrictEqual(yield* rowsOf("cell", 300), {})

        yield* without("sur.delete_company", Effect.exit(move(300, "cell")))
        yield* lose
        const ended = tagOf(move(300, "cell", isSourceLost))
        assertKnown(yield* Effect.all([ended, tagOf(move(300, "cell")), tagOf(move(300, "sur")), ended], together))
        assert.strictEqual(countOf(yield* actionsOf(300), "company_moved"), 2 * round)
        assert.deepStrictEqual(yield* rowsOf("cell", 300), rows)
        assert.strictEqual(yield* sells(300, `movida-${round}`), "sold")
        yield* bringBack
        yield* clear
      }
    })
  )

  it.effect("end a cell's move with a lost server only once, and clear the server only once", () =>
    Effect.gen(function* () {
      yield* busyCompany(306)
      yield* move(306, "sur")
      yield* moveCellTo("sur", "main")
      for (let round = 1; round <= rounds; round++) {
        const abandoned = countOf(yield* cellActions, "cell_move_abandoned")
        yield* without("directory.place_cell", Effect.exit(moveCellTo("sur", node)))
        yield* lose
        const onMain = tagOf(moveCellTo("sur", "main"))
        assertKnown(
          yield* Effect.all(
            [onMain, tagOf(moveCellTo("sur", node)), onMain, tagOf(moveCellTo("sur", "main", isSourceLost)), onMain],
            together
          )
        )
        assert.strictEqual(countOf(yield* cellActions, "cell_move_abandoned"), abandoned + 1)
        assert.deepStrictEqual(yield* placeOf("sur"), { node: "main", state: "open", movingTo: null })
        assert.strictEqual(yield* sells(306, `cedida-${round}`), "sold")

        const rows = yield* rowsOf("sur", 306)
        yield* bringBack
        assertKnown(
          yield* Effect.all([tagOf(clearNode(este)), tagOf(moveCellTo("sur", node)), tagOf(clearNode(este))], together)
        )
        yield* endCellMove(surName)
        yield* moveCellTo("sur", node)
        yield* clear
        assert.deepStrictEqual(yield* onNode(rowsOf("sur", 306)), rows)

        const moved = countOf(yield* cellActions, "cell_moved")
        yield* (yield* CellMoves).transfer(yield* beginCellMove(node, "main"))
        yield* lose
        const ended = tagOf(moveCellTo("sur", "main", isSourceLost))
        assertKnown(
          yield* Effect.all([ended, tagOf(moveCellTo("sur", "main")), tagOf(moveCellTo("sur", node)), ended], together)
        )
        assert.strictEqual(countOf(yield* cellActions, "cell_moved"), moved + 1)
        assert.deepStrictEqual(yield* rowsOf("sur", 306), rows)
        assert.strictEqual(yield* sells(306, `movida-${round}`), "sold")
        yield* bringBack
        yield* clear
        assert.deepStrictEqual(yield* violatedInvariants, [])
      }
    })
  )
})
