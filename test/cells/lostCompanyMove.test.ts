import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Exit } from "effect"
import { NodeName } from "../../core/domain/Cell.ts"
import type { Order } from "../../core/domain/Sale.ts"
import { CompanyMoves } from "../../core/ports/CompanyMoves.ts"
import { Unresolved } from "../../core/ports/Unresolved.ts"
import { clearNode } from "../../core/workflows/ClearNode.ts"
import { violatedInvariants } from "../support/Database.ts"
import { SecondPostgres } from "../support/SecondPostgres.ts"
import { assertFrozen, lateSettlement } from "./Frozen.ts"
import { bringBack, clear, leftovers, lose, refusal } from "./LostServer.ts"
import { actionsOf, beginMove, busyCompany, move, rowsOf, sells } from "./Moves.ts"
import { MovesOnTwoServers, node, onNode, without } from "./TwoNodes.ts"

const isSourceLost = { isSourceLost: true }

/** Interrupts a move before it calls the given database function. */
const before = (name: string, target: string) => (company: number) => without(name, Effect.exit(move(company, target)))

/** Steps of a move to the node `este`, which is lost after the step. `left`: what that node has. A mark is in `departed`. */
const beforeTheSwitch = [
  { step: "the move began", until: (company: number) => beginMove(company, "sur"), left: "nothing" },
  { step: "the source was frozen", until: before("sur.freeze_table", "sur"), left: "a mark" },
  { step: "both cells were frozen", until: before("sur.digest_of", "sur"), left: "a mark" },
  { step: "the rows were copied", until: before("directory.place_company", "sur"), left: "frozen rows" }
] as const

/** The steps of a move from the node `este` before the directory names the target. */
const stepsFromNode = [
  { step: "the move began", until: (company: number) => beginMove(company, "cell") },
  { step: "the source was frozen", until: before("cell.freeze_table", "cell") },
  { step: "both cells were frozen", until: before("cell.digest_of", "cell") },
  { step: "the rows were copied", until: before("directory.place_company", "cell") }
] as const

const numbered = <Case>(cases: ReadonlyArray<Case>, first: number) =>
  cases.map((each, index) => ({ ...each, company: first + 6 * index }))

/** A company with rows in every table, in the cell of the node `este`. */
const busyOnNode = Effect.fnUntraced(function* (company: number) {
  const busy = yield* busyCompany(company)
  yield* move(company, "sur")
  return busy
})

/** The number of places in which the recovery of a server finds a sale. */
const claimed = Effect.fnUntraced(function* ({ transactionId }: Order) {
  const now = DateTime.add(yield* DateTime.now, { hours: 1 })
  const all = { began: now, now, lease: Duration.millis(1), limit: 100, which: "all" } as const
  const sales = yield* (yield* Unresolved).claim(all)
  return sales.filter(({ order }) => order.transactionId === transactionId).length
})

const located = Effect.map(violatedInvariants, (found) => found.map(({ invariant }) => invariant))

layer(MovesOnTwoServers, { excludeTestServices: true, timeout: "8 minutes" })("a company that moves", (it) => {
  it.effect.each(numbered(beforeTheSwitch, 300))(
    "stays and sells if the target is lost after $step, and the target then has $left and accepts no write",
    ({ company, left, until }) =>
      Effect.gen(function* () {
        const { pending } = yield* busyCompany(company)
        const rows = yield* rowsOf("cell", company)
        yield* until(company)
        yield* lose
        assert.strictEqual(yield* refusal(move(company, "sur")), `target_down at ${node}`)
        assert.strictEqual(yield* refusal(move(company, "cell", isSourceLost)), "source_answers at main")
        assert.strictEqual(yield* sells(company, "durante"), "CompanyClosed")
        const givenUp = yield* move(company, "cell")
        assert.deepStrictEqual<unknown>(givenUp, {
          source: "cell",
          cell: "cell",
          hasMoved: false,
          rows: null,
          lostNode: node
        })
        assert.deepStrictEqual(yield* rowsOf("cell", company), rows)
        assert.strictEqual(yield* sells(company, "despues"), "sold")
        assert.strictEqual((yield* actionsOf(company)).at(-1), "company_move_abandoned")

        yield* bringBack
        assert.deepStrictEqual<unknown>(
          yield* leftovers,
          left === "nothing" ? [] : [{ cell: "sur", companyId: company }]
        )
        assert.deepStrictEqual(yield* located, left === "frozen rows" ? ["located"] : [])
        if (left === "frozen rows") {
          yield* onNode(assertFrozen("sur", company, pending))
          assert.strictEqual(yield* claimed(pending), 1)
        }
        assert.isTrue(Exit.isFailure(yield* onNode(lateSettlement("sur", pending))))
        assert.strictEqual(yield* sells(company, "vuelta"), "sold")
        yield* clear
        assert.deepStrictEqual(yield* onNode(rowsOf("sur", company)), {})
        assert.isTrue(Exit.isSuccess(yield* lateSettlement("cell", pending)))
        const now = yield* rowsOf("cell", company)
        assert.isTrue((yield* move(company, "sur")).hasMoved)
        assert.deepStrictEqual(yield* onNode(rowsOf("sur", company)), now)
        assert.deepStrictEqual(yield* violatedInvariants, [])
      })
  )

  it.effect("waits for a target that is lost after the directory names it", () =>
    Effect.gen(function* () {
      yield* busyCompany(324)
      const rows = yield* rowsOf("cell", 324)
      yield* without("cell.delete_company", Effect.exit(move(324, "sur")))
      yield* lose
      assert.strictEqual(yield* refusal(move(324, "sur")), `place_down at ${node}`)
      assert.strictEqual(yield* refusal(move(324, "sur", isSourceLost)), `place_down at ${node}`)
      assert.strictEqual(yield* refusal(move(324, "cell")), "CompanyMoving")
      assert.strictEqual(yield* refusal(move(324, "cell", isSourceLost)), "CompanyMoving")
      yield* bringBack
      assert.isTrue((yield* move(324, "sur")).hasMoved)
      assert.deepStrictEqual(yield* onNode(rowsOf("sur", 324)), rows)
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )

  it.effect.each(numbered(stepsFromNode, 330))(
    "stays closed if the source is lost after $step, until the source is back",
    ({ company, until }) =>
      Effect.gen(function* () {
        yield* busyOnNode(company)
        const rows = yield* onNode(rowsOf("sur", company))
        yield* until(company)
        yield* lose
        for (const command of [move(company, "cell"), move(company, "cell", isSourceLost), move(company, "sur")])
          assert.strictEqual(yield* refusal(command), `place_down at ${node}`)
        assert.strictEqual(yield* sells(company, "durante"), "CompanyClosed")
        yield* bringBack
        assert.strictEqual(yield* refusal(move(company, "cell", isSourceLost)), `source_answers at ${node}`)
        assert.isTrue((yield* move(company, "cell")).hasMoved)
        assert.deepStrictEqual(yield* rowsOf("cell", company), rows)
        assert.deepStrictEqual(yield* onNode(rowsOf("sur", company)), {})
        assert.strictEqual(yield* sells(company, "despues"), "sold")
        assert.deepStrictEqual(yield* violatedInvariants, [])
      })
  )

  it.effect("leaves a source that is lost after the directory names the target, and the old rows accept no write", () =>
    Effect.gen(function* () {
      const { pending } = yield* busyOnNode(354)
      const rows = yield* onNode(rowsOf("sur", 354))
      yield* without("sur.delete_company", Effect.exit(move(354, "cell")))
      assert.strictEqual(yield* refusal(move(354, "cell", isSourceLost)), `source_answers at ${node}`)
      yield* lose
      assert.strictEqual(yield* refusal(move(354, "cell")), `source_down at ${node}`)
      assert.strictEqual(yield* refusal(move(354, "sur")), "CompanyMoving")
      const ended = yield* move(354, "cell", isSourceLost)
      assert.deepStrictEqual<unknown>(ended, {
        source: "sur",
        cell: "cell",
        hasMoved: true,
        rows: null,
        lostNode: node
      })
      assert.deepStrictEqual(yield* rowsOf("cell", 354), rows)
      assert.strictEqual(yield* sells(354, "despues"), "sold")
      assert.isTrue(Exit.isSuccess(yield* lateSettlement("cell", pending)))
      assert.isFalse((yield* move(354, "cell", isSourceLost)).hasMoved)

      yield* bringBack
      assert.deepStrictEqual<unknown>(yield* leftovers, [{ cell: "sur", companyId: 354 }])
      assert.deepStrictEqual(yield* located, ["located"])
      yield* onNode(assertFrozen("sur", 354, pending))
      assert.strictEqual(yield* claimed(pending), 0)
      assert.strictEqual(yield* sells(354, "vuelta"), "sold")
      yield* clear
      assert.deepStrictEqual(yield* onNode(rowsOf("sur", 354)), {})
    })
  )

  it.effect("leaves nothing on a source that is lost after its rows were deleted", () =>
    Effect.gen(function* () {
      yield* busyOnNode(360)
      const begun = yield* beginMove(360, "cell")
      const moves = yield* CompanyMoves
      yield* moves.transfer(begun)
      assert.isTrue(yield* moves.clear(begun, null))
      yield* lose
      assert.strictEqual((yield* move(360, "cell", isSourceLost)).lostNode, node)
      assert.strictEqual(yield* sells(360, "despues"), "sold")
      yield* bringBack
      assert.deepStrictEqual(yield* leftovers, [])
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )

  it.effect("stays and sells if the target runs but does not answer", () =>
    Effect.gen(function* () {
      yield* busyCompany(366)
      yield* before("directory.place_company", "sur")(366)
      const { resume, silence } = yield* SecondPostgres
      yield* silence
      assert.strictEqual((yield* Effect.ensuring(move(366, "cell"), resume)).lostNode, node)
      assert.strictEqual(yield* sells(366, "despues"), "sold")
      yield* clear
    })
  )

  it.effect("does not begin a move to a lost server, nor a move whose source is declared lost", () =>
    Effect.gen(function* () {
      yield* busyCompany(372)
      assert.strictEqual(yield* refusal(move(372, "sur", isSourceLost)), "not_begun at main")
      yield* lose
      assert.strictEqual(yield* refusal(move(372, "sur")), `node_down at ${node}`)
      assert.strictEqual(yield* refusal(clearNode(NodeName.make(node))), `node_down at ${node}`)
      yield* bringBack
      assert.deepStrictEqual(yield* actionsOf(372), [])
    })
  )

  it.effect("moves with its new rows to a server that was lost and still has the old rows", () =>
    Effect.gen(function* () {
      yield* busyOnNode(378)
      yield* without("sur.delete_company", Effect.exit(move(378, "cell")))
      yield* lose
      yield* move(378, "cell", isSourceLost)
      assert.strictEqual(yield* sells(378, "despues"), "sold")
      const rows = yield* rowsOf("cell", 378)
      yield* bringBack
      assert.isTrue((yield* move(378, "sur")).hasMoved)
      assert.deepStrictEqual(yield* onNode(rowsOf("sur", 378)), rows)
      assert.deepStrictEqual(yield* leftovers, [])
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )
})
