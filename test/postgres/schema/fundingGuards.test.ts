import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestDatabase } from "../../support/Database.ts"
import { guardsIn, isOfFunding, refusedBy, rowsOf } from "../../support/SchemaGuards.ts"

// A pending deposit. A case changes columns of the row.

const at = "'2026-01-01T12:00:00Z'"
const nextDay = "'2026-01-02T12:00:00Z'"
const deposit = rowsOf("cell.funding_proposal", {
  company_id: 1,
  number: 1,
  kind: "'deposit'",
  amount: 500,
  reference: "'BANCO-1'",
  is_repeated: "false",
  proposed_by: "'ana'",
  proposed_at: at,
  expires_at: nextDay
})
const adjustment = { kind: "'adjustment'", reason: "'error'" }
const confirmed = { state: "'confirmed'", decided_by: "'luis'", decided_at: at, entry_id: 1 }
const rejected = { state: "'rejected'", decided_by: "'luis'", decided_at: at, decision_reason: "'no'" }
const change = (columns: string) => `update cell.funding_proposal set ${columns}`
const confirming = "state = 'confirmed', decided_by = 'luis', decided_at = proposed_at, entry_id = 1"

const refusals: ReadonlyArray<readonly [what: string, guard: string, statements: ReadonlyArray<string>]> = [
  ["an unknown kind", "funding_proposal_kind_check", [deposit({ kind: "'gift'" })]],
  ["a deposit below zero", "funding_proposal_amount", [deposit({ amount: -1 })]],
  ["an adjustment of zero", "funding_proposal_amount", [deposit({ ...adjustment, amount: 0 })]],
  ["a reference that prints nothing", "funding_proposal_folded_check", [deposit({ reference: "U&'\\200b'" })]],
  ["an adjustment without a reason", "funding_proposal_explained", [deposit({ kind: "'adjustment'" })]],
  ["a blank reason", "funding_proposal_reason_check", [deposit({ ...adjustment, reason: "''" })]],
  ["a proposal without an operator", "funding_proposal_proposed_by_check", [deposit({ proposed_by: "''" })]],
  ["a proposal that expires immediately", "funding_proposal_expiry", [deposit({ expires_at: at })]],
  ["an unknown state", "funding_proposal_state_check", [deposit({ state: "'x'", decided_at: at })]],
  ["a decision without a time", "funding_proposal_decided_at", [deposit({ ...rejected, decided_at: "null" })]],
  ["a decision without an operator", "funding_proposal_decided_by", [deposit({ ...rejected, decided_by: "null" })]],
  [
    "a blank name of the second operator",
    "funding_proposal_decided_by_check",
    [deposit({ ...rejected, decided_by: "''" })]
  ],
  ["a rejection without a reason", "funding_proposal_rejected", [deposit({ ...rejected, decision_reason: "null" })]],
  [
    "a rejection with a blank reason",
    "funding_proposal_decision_reason_check",
    [deposit({ ...rejected, decision_reason: "''" })]
  ],
  ["a confirmation without an entry", "funding_proposal_confirmed", [deposit({ ...confirmed, entry_id: "null" })]],
  ["an entry without a confirmation", "funding_proposal_confirmed", [deposit({ entry_id: 1 })]],
  [
    "a confirmation after the proposal has expired",
    "funding_proposal_in_time",
    [deposit({ ...confirmed, decided_at: nextDay })]
  ],
  [
    "a confirmation by the operator who proposed, in another spelling",
    "funding_proposal_second_operator",
    [deposit({ ...confirmed, decided_by: "'ANA'" })]
  ],
  [
    "a second pending proposal with one reference, in another spelling",
    "funding_proposal_reference",
    [deposit(), deposit({ number: 2, reference: "'banco-1'" })]
  ],
  [
    "a second confirmation with one entry",
    "funding_proposal_entry",
    [deposit(confirmed), deposit({ ...confirmed, number: 2, reference: "'BANCO-2'" })]
  ],
  ["another amount of a pending proposal", "funding_proposal_final", [deposit(), change("amount = 501")]],
  ["another proposing operator", "funding_proposal_final", [deposit(), change("proposed_by = 'eva'")]],
  ["another company of a pending proposal", "funding_proposal_final", [deposit(), change("company_id = 2")]],
  ["a later expiry", "funding_proposal_final", [deposit(), change("expires_at = expires_at + interval '1 day'")]],
  ["a change of a confirmed proposal", "funding_proposal_final", [deposit(confirmed), change("decided_by = 'eva'")]],
  ["a confirmation of a rejected proposal", "funding_proposal_final", [deposit(rejected), change(confirming)]],
  ["the deletion of a proposal", "funding_proposal_final", [deposit(), "delete from cell.funding_proposal"]],
  ["the truncation of the proposals", "funding_proposal_final", ["truncate cell.funding_proposal"]]
]

layer(TestDatabase)("the table of proposals of deposits and adjustments", (it) => {
  it.effect.each(refusals)("rejects %s", ([, guard, statements]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusedBy(statements), guard)
    })
  )

  it.effect.each([
    ["a pending deposit, and its confirmation", [deposit(), change(confirming)]],
    ["a negative adjustment", [deposit({ ...adjustment, amount: -500 })]],
    ["a new proposal with the reference of a rejected one", [deposit(rejected), deposit({ number: 2 })]],
    ["a proposal of the other kind with the same reference", [deposit(), deposit({ ...adjustment, number: 2 })]]
  ] as const)("accepts %s", ([, statements]) =>
    Effect.gen(function* () {
      assert.isNull(yield* refusedBy(statements))
    })
  )

  it.effect("has a case above for every constraint", () =>
    Effect.gen(function* () {
      const guards = yield* guardsIn("cell", isOfFunding)
      // The triggers against deletions report the name of the trigger against changes.
      const kept = ["funding_proposal_kept", "funding_proposal_whole"]
      const tested = new Set([...refusals.map(([, guard]) => guard), ...kept])
      assert.deepStrictEqual([...tested].sort(), guards)
    })
  )
})
