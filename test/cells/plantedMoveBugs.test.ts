import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Invariant } from "../../core/domain/Invariants.ts"
import { type ChangedStatement, type Course, examine, type MoveInvariant } from "./ExaminedMove.ts"
import { move, moveCellTo } from "./Moves.ts"
import { MovesOnTwoNodesAndThreeCells, node } from "./TwoNodes.ts"

const inFirstCell = { cell: "cell", node: "main" }
const onOtherNode = { cell: "sur", node }

const companyMove: Course = { company: 300, from: inFirstCell, to: onOtherNode, command: move(300, "sur") }
const moveInDatabase: Course = {
  company: 302,
  from: inFirstCell,
  to: { cell: "norte", node: "main" },
  command: move(302, "norte")
}
const attendedMove: Course = { ...moveInDatabase, company: 304, command: move(304, "norte"), awaitsCalls: true }
const cellMove: Course = {
  company: 301,
  from: onOtherNode,
  to: { cell: "sur", node: "main" },
  command: moveCellTo("sur", "main")
}

interface PlantedBug {
  readonly name: string
  readonly course: Course
  readonly statements?: ReadonlyArray<ChangedStatement>
  /** A text of the function directory.move_company, and its replacement. */
  readonly patch?: readonly [from: string, to: string]
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
    name: "the command takes the cell before the move for the current one",
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
    name: "a move within a database does not name the new cell",
    course: moveInDatabase,
    patch: ["update directory.company set cell = target_ where id = company_;", ""],
    violates: "confirmed writes are in the books"
  },
  {
    name: "the old cell in the same database forgets that the company has left",
    course: moveInDatabase,
    patch: [
      "update %I.departed set is_leaving = false where company = $1",
      "delete from %I.departed where company = $1"
    ],
    violates: "refusals say that the company is closed"
  },
  {
    name: "the command does not wait for open transactions",
    course: moveInDatabase,
    statements: [{ at: /from pg_locks/, instead: "select where false" }],
    violates: "located"
  },
  {
    name: "the command does not wait for calls in progress",
    course: attendedMove,
    statements: [{ at: /as work$/, instead: "select 0 as n" }],
    violates: "calls in progress end before the rows move"
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

/** Makes the first cell assign higher ids than the others. */
const raiseIds = PgClient.PgClient.use((sql) => sql`select setval('cell.transaction_id', 256 * 100000)`)

const patchMove = Effect.fnUntraced(function* ([from, to]: readonly [string, string]) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ text: string }>`
    select pg_get_functiondef('directory.move_company(bigint, text)'::regprocedure) as text`
  assert.lengthOf(row?.text.split(from) ?? [], 2, `the function must contain once: ${from}`)
  yield* sql.unsafe(row?.text.replace(from, () => to) ?? "").unprepared
})

describe("a move whose command dies at each of its steps", () => {
  it.live.each([
    { name: "a company between nodes", course: companyMove, points_min: 17 },
    { name: "a company within a database", course: moveInDatabase, points_min: 4 },
    { name: "a company, after waiting for calls in progress", course: attendedMove, points_min: 4 },
    { name: "a cell between nodes", course: cellMove, points_min: 7 }
  ])(
    "violates no invariant when it moves $name",
    ({ course, points_min }) =>
      Effect.gen(function* () {
        yield* raiseIds
        const { failures, points, violated } = yield* examine(course)
        assert.isNull(violated)
        assert.strictEqual(failures, 0)
        assert.isAtLeast(points.length, points_min, "the command died at each of its steps")
      }).pipe(Effect.provide(MovesOnTwoNodesAndThreeCells)),
    timeout_ms
  )

  it.live.each(bugs)(
    "violates an invariant if $name",
    ({ course, patch, statements, violates }) =>
      Effect.gen(function* () {
        yield* raiseIds
        if (patch !== undefined) yield* patchMove(patch)
        assert.strictEqual((yield* examine(course, statements)).violated, violates)
      }).pipe(Effect.provide(MovesOnTwoNodesAndThreeCells)),
    timeout_ms
  )
})
