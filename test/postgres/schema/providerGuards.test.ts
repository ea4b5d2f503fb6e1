import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestDatabase } from "../../support/Database.ts"
import { guardsIn, isOfProviders, refusedBy, rowsOf } from "../../support/SchemaGuards.ts"

const times = { found_at: "'epoch'", opened_at: "'epoch'", seen_at: "'epoch'" }
const ours = { company_id: 1, transaction_id: 1, our_status: "'SUCCESS'", our_amount: 100, our_at: "'epoch'" }
const theirs = { their_status: "'SUCCESS'", their_amount: 200, lines: 1, line: 2 }

/** A case, which is a difference between a provider's statement and our sales. Here the amounts of a sale differ. */
const amountCase = rowsOf("directory.statement_case", {
  provider: "'http'",
  kind: "'otro_monto'",
  reference: "'X-1'",
  file: "'a.csv'",
  ...ours,
  ...theirs,
  ...times
})
/** A case in which we have no sale for a line of the statement. */
const lineCase = rowsOf("directory.statement_case", {
  provider: "'http'",
  kind: "'solo_suyo'",
  reference: "'X-1'",
  file: "'a.csv'",
  ...theirs,
  ...times
})
const note = rowsOf("directory.statement_case_note", {
  case_id: "(select max(id) from directory.statement_case)",
  at: "'epoch'",
  operator: "'Ana'",
  state: "'anotado'",
  note: "'n'"
})

const changed = (change: string) => `update directory.statement_case set ${change}`

const rejected: ReadonlyArray<readonly [what: string, guard: string, statements: ReadonlyArray<string>]> = [
  ["a case of an unknown provider", "statement_case_provider_check", [amountCase({ provider: "'x'" })]],
  ["a case of an unknown kind", "statement_case_kind_check", [amountCase({ kind: "'x'" })]],
  ["a case without a reference", "statement_case_reference_check", [amountCase({ reference: "''" })]],
  ["a case in an unknown state", "statement_case_state_check", [amountCase({ state: "'x'" })]],
  ["an empty id of the provider", "statement_case_external_id_check", [amountCase({ external_id: "''" })]],
  ["a sale in an unknown status", "statement_case_our_status_check", [amountCase({ our_status: "'PROCESSING'" })]],
  ["a sale with the amount zero", "statement_case_our_amount_check", [amountCase({ our_amount: 0 })]],
  ["a line in an unknown status", "statement_case_their_status_check", [amountCase({ their_status: "'x'" })]],
  ["a line with a negative amount", "statement_case_their_amount_check", [amountCase({ their_amount: -1 })]],
  ["a negative number of lines", "statement_case_lines_check", [amountCase({ lines: -1 })]],
  ["a line number of zero", "statement_case_line_check", [amountCase({ line: 0 })]],
  ["two cases of one difference", "statement_case_key", [amountCase(), amountCase()]],
  ["a sale without its company", "statement_case_sale", [amountCase({ company_id: "null" })]],
  [
    "a sale without its amount",
    "statement_case_ours",
    [amountCase({ our_amount: "null", kind: "'otro_estado'", their_status: "'FAILED'" })]
  ],
  ["a statement line that occurs zero times", "statement_case_theirs", [lineCase({ lines: 0 })]],
  ["a difference of amounts with equal amounts", "statement_case_difference", [amountCase({ their_amount: 100 })]],
  [
    "a difference of statuses with equal statuses",
    "statement_case_difference",
    [amountCase({ kind: "'otro_estado'" })]
  ],
  [
    "a sale missing from the statement, with a line",
    "statement_case_difference",
    [amountCase({ kind: "'solo_nuestro'" })]
  ],
  ["a line for which we have no sale, with a sale", "statement_case_difference", [amountCase({ kind: "'solo_suyo'" })]],
  ["a case that was gone before it was seen", "statement_case_times", [amountCase({ gone_at: "'epoch'" })]],
  [
    "a closed case that becomes noted",
    "statement_case_transition",
    [amountCase({ state: "'cerrado'" }), changed("state = 'anotado'")]
  ],
  [
    "a noted case that becomes open",
    "statement_case_transition",
    [amountCase({ state: "'anotado'" }), changed("state = 'abierto'")]
  ],
  [
    "a closed case that is opened without a comparison",
    "statement_case_transition",
    [amountCase({ state: "'cerrado'" }), changed("state = 'abierto'")]
  ],
  ["a case with another reference", "statement_case_transition", [amountCase(), changed("reference = 'X-2'")]],
  ["a note without a case", "statement_case_note_case_id_fkey", [note({ case_id: 99 })]],
  ["a note without an operator", "statement_case_note_operator_check", [amountCase(), note({ operator: "''" })]],
  ["a note that opens a case", "statement_case_note_state_check", [amountCase(), note({ state: "'abierto'" })]],
  [
    "a balance of an unknown provider",
    "provider_float_provider_check",
    ["insert into directory.provider_float (provider, read_at) values ('x', 'epoch')"]
  ],
  [
    "balances that are no list",
    "provider_float_balances_check",
    ["insert into directory.provider_float (provider, read_at, balances) values ('http', 'epoch', '{}')"]
  ],
  [
    "a provider that was never asked",
    "provider_float_asked",
    ["insert into directory.provider_float (provider) values ('http')"]
  ],
  ["an empty note", "statement_case_note_note_check", [amountCase(), note({ note: "''" })]]
]

layer(TestDatabase)("the tables about providers", (it) => {
  it.effect.each(rejected)("reject %s", ([, guard, statements]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusedBy(statements), guard)
    })
  )

  it.effect("have a case above for every constraint", () =>
    Effect.gen(function* () {
      const seen = new Set(rejected.map(([, guard]) => guard))
      assert.deepStrictEqual(
        [...seen, "statement_case_note_append_only"].sort(),
        yield* guardsIn("directory", isOfProviders)
      )
    })
  )

  it.effect.each(["update directory.statement_case_note set note = 'x'", "delete from directory.statement_case_note"])(
    "protect the notes from: %s",
    (statement) =>
      Effect.gen(function* () {
        assert.include(String(yield* refusedBy([statement])), "statement_case_note is append-only")
      })
  )

  it.effect("allow a case to be noted, closed and opened again by a comparison", () =>
    Effect.gen(function* () {
      const turns = ["state = 'anotado'", "state = 'cerrado'", "state = 'abierto', opened_at = 'now', seen_at = 'now'"]
      assert.isNull(yield* refusedBy([amountCase(), lineCase({ reference: "'X-2'" }), note(), ...turns.map(changed)]))
    })
  )
})
