import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Invariant } from "../../core/domain/Invariants.ts"
import { type ChangedStatement, type Course, examine, type MoveInvariant } from "./ExaminedMove.ts"
import { move, moveCellTo } from "./Moves.ts"
import { MovesOnTwoNodes, node } from "./TwoNodes.ts"

const inFirstCell = { cell: "cell", node: "main" }
const onOtherNode = { cell: "sur", node }

const companyMove: Course = { company: 300, from: inFirstCell, to: onOtherNode, command: move(300, "sur") }
const cellMove: Course = {
  company: 301,
  from: onOtherNode,
  to: { cell: "sur", node: "main" },
  command: moveCellTo("sur", "main")
}

interface PlantedBug {
  readonly name: string
  readonly course: Course
  readonly statements: ReadonlyArray<ChangedStatement>
  /** The invariant that finds the bug. */
  readonly violates: MoveInvariant | Invariant
}

const bugs: ReadonlyArray<PlantedBug> = [
  {
    name: "the rows in the old cell are not frozen",
    course: companyMove,
    statements: [{ at: /"cell"\.freeze_table\(/, instead: "select" }],
    violates: "confirmed writes are in the books"
  },
  {
    name: "the copy is not frozen before the directory names it",
    course: companyMove,
    statements: [{ at: /"sur"\.freeze_table\(/, instead: "select" }],
    violates: "only the named place accepts writes"
  },
  {
    name: "the directory names the new cell before the rows are copied and compared",
    course: companyMove,
    statements: [
      { at: /insert into "sur"\.departed/, before: "select directory.place_company(300, 'sur')" },
      { at: /directory\.place_company\(/, instead: "select true as done" }
    ],
    violates: "refusals say that the company is closed"
  },
  {
    name: "the new cell assigns lower ids than the company has",
    course: companyMove,
    statements: [{ at: /"sur"\.raise_ids\(/, instead: "select" }],
    violates: "running"
  },
  {
    name: "the rows in the old cell are not deleted",
    course: companyMove,
    statements: [{ at: /"cell"\.delete_company\(/, instead: "select" }],
    violates: "confirmed writes are in the books"
  },
  {
    name: "the old cell forgets that the company has left",
    course: companyMove,
    statements: [
      {
        at: /update "cell"\.departed set is_leaving = false, frozen = null/,
        instead: `delete from "cell".departed where company = 300`
      }
    ],
    violates: "refusals say that the company is closed"
  },
  {
    name: "the cell before the move counts as the company's cell",
    course: companyMove,
    statements: [
      {
        at: /directory\.hold_move\(/,
        instead: "select source as cell from directory.company_move where company_id = 300"
      }
    ],
    violates: "confirmed writes are in the books"
  },
  {
    name: "the sequences of the moved cell begin anew",
    course: cellMove,
    statements: [{ at: /select setval\(/, instead: "select" }],
    violates: "the company sells after the move"
  },
  {
    name: "the directory names the new node before the schema is copied",
    course: cellMove,
    statements: [
      { at: /"sur"\.freeze_table\(/, before: "select directory.place_cell('sur', 'main')" },
      { at: /directory\.place_cell\(/, instead: "select true as done" }
    ],
    violates: "confirmed writes are in the books"
  }
]

const timeout_ms = 5 * 60_000

/** The old cell has assigned more ids than the new one. */
const raisedIds = PgClient.PgClient.use((sql) => sql`select setval('cell.transaction_id', 256 * 100000)`)

describe("a move whose command dies at each of its steps", () => {
  it.live.each([
    { name: "of a company", course: companyMove, points_min: 17 },
    { name: "of a cell", course: cellMove, points_min: 7 }
  ])(
    "$name between nodes violates no invariant",
    ({ course, points_min }) =>
      Effect.gen(function* () {
        yield* raisedIds
        const { failures, points, violated } = yield* examine(course)
        assert.isNull(violated)
        assert.strictEqual(failures, 0)
        assert.isAtLeast(points.length, points_min, "the command died at each of its steps")
      }).pipe(Effect.provide(MovesOnTwoNodes)),
    timeout_ms
  )

  it.live.each(bugs)(
    "violates an invariant if $name",
    ({ course, statements, violates }) =>
      Effect.gen(function* () {
        yield* raisedIds
        assert.strictEqual((yield* examine(course, statements)).violated, violates)
      }).pipe(Effect.provide(MovesOnTwoNodes)),
    timeout_ms
  )
})
