import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestDatabase } from "../../support/Database.ts"
import { guardsIn, isOfClosings, refusedBy, rowsOf } from "../../support/SchemaGuards.ts"

const figures = {
  companyId: 1,
  day: "2026-03-02",
  previousSeal: null,
  opening: 0,
  deposits: { count: 1, amount: 100 },
  sales: { count: 0, amount: 0 },
  reversals: { count: 0, amount: 0 },
  adjustments: { count: 0, amount: 0 },
  closing: 100
}

const textOf = (changes: Partial<typeof figures> = {}): string => `'${JSON.stringify({ ...figures, ...changes })}'`
const sealOf = (text: string): string => `sha256(convert_to(${text}, 'UTF8'))`

const closing = (changes: Partial<typeof figures> = {}, row: Parameters<ReturnType<typeof rowsOf>>[0] = {}) => {
  const content = textOf(changes)
  return rowsOf("cell.closing", { company_id: 1, day: "'2026-03-02'", content, seal: sealOf(content) })(row)
}

const ended = `
  insert into cell.balance (company_id, open_from, updated_at) values (1, '2026-03-03T04:00:00Z', 'epoch')`
const entry = `
  insert into cell.entry (company_id, id, type, amount, balance, reference, created_at)
  values (1, 1, 'deposit', 100, 100, 'r', '2026-03-02T12:00:00Z')`

const added = (changes: Partial<typeof figures> = {}, day = changes.day ?? figures.day): string =>
  `select cell.add_closing(1, '${day}', ${textOf(changes)})`

const cases: ReadonlyArray<readonly [what: string, guard: string, statements: ReadonlyArray<string>]> = [
  ["a change of a closing", "closing_append_only", [closing(), "update cell.closing set seal = ''"]],
  ["the deletion of a closing", "closing_append_only", [closing(), "delete from cell.closing"]],
  ["the truncation of the closings", "closing_append_only", ["truncate cell.closing"]],
  ["a seal that was computed from another text", "closing_seal", [closing({}, { seal: sealOf("'x'") })]],
  ["a content about another company", "closing_subject", [closing({ companyId: 2 })]],
  ["a content about another day", "closing_subject", [closing({ day: "2026-03-01" })]],
  ["figures that do not add up", "closing_sum", [closing({ closing: 99 })]],
  ["a closing of a day that has not ended", "closing_chain", [entry, added()]],
  ["a closing that leaves out a day", "closing_chain", [ended, entry, added({ day: "2026-03-03" })]],
  [
    "a first closing that contains the seal of an earlier day",
    "closing_chain",
    [ended, entry, added({ previousSeal: "ab" as never })]
  ],
  ["a first closing with an opening balance", "closing_chain", [ended, entry, added({ opening: 1, closing: 101 })]]
]

layer(TestDatabase)("the closings of a cell", (it) => {
  it.effect.each(cases)("reject %s", ([, guard, statements]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusedBy(statements), guard)
    })
  )

  it.effect("accept the closing of an ended day", () =>
    Effect.gen(function* () {
      assert.isNull(yield* refusedBy([ended, entry, added()]))
    })
  )

  it.effect("have a case above for every constraint", () =>
    Effect.gen(function* () {
      const seen = new Set(cases.map(([, guard]) => guard))
      // cell.add_closing checks the chain.
      seen.delete("closing_chain")
      // The trigger against deletions reports the name of the trigger against changes.
      seen.add("closing_kept")
      assert.deepStrictEqual([...seen].sort(), yield* guardsIn("cell", isOfClosings))
    })
  )
})
