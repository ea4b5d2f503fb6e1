import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestDatabase } from "../../support/Database.ts"
import { guardsIn, isOfInsurance, refusedBy, rowsOf } from "../../support/SchemaGuards.ts"

// A row of each table of a cell, that any column may be changed of; alone it is accepted, but for what it refers to.

const at = "'epoch'"
const later = "'2026-01-01'"
const balance = rowsOf("cell.balance", { company_id: 1, available: 100, updated_at: at })
const adjustment = rowsOf("cell.adjustment", { company_id: 1, reference: "'r'", created_at: at })
const consumption = rowsOf("cell.consumption", { company_id: 1, day: at, total: 0 })
const blockOf = { company_id: 1, list: "'sale'", first_id: 1, last_id: 4, earliest: at, latest: at, members: 4 }
const block = rowsOf("cell.block", blockOf)
const entryOf = { company_id: 1, type: "'deposit'", amount: 5, balance: 5, created_at: at }
const deposit = rowsOf("cell.entry", { ...entryOf, id: 1, reference: "'opening'" })
const entry = rowsOf("cell.entry", { ...entryOf, id: 2 })
const key = rowsOf("cell.idempotency", {
  company_id: 1,
  key: "'k'",
  owner: "gen_random_uuid()",
  fingerprint: "'\\x00'",
  transaction_id: 1,
  claimed_at: at
})
const option = rowsOf("cell.option", {
  company_id: 1,
  id: "'o'",
  service_id: 3,
  identifier: "'809'",
  reference: "'P'",
  name: "'Paquete'",
  price: 100,
  expires_at: at
})
const inFlight = rowsOf("cell.transaction", {
  company_id: 1,
  id: 1,
  xid: "'RD-1'",
  idempotency_key: "'k'",
  status: "'PROCESSING'",
  environment: "'development'",
  service_id: 1,
  service_name: "'s'",
  service_type: "'generic'",
  identifier: "'123'",
  amount: 100,
  reversible: "true",
  day: at,
  created_at: at
})
const sold = (changes: Parameters<typeof inFlight>[0] = {}) =>
  inFlight({ status: "'SUCCESS'", processed_at: at, auth_code: "'x'", ...changes })
const failed = { status: "'FAILED'", processed_at: at, auth_code: "null" }
const reversal = rowsOf("cell.reversal", {
  company_id: 1,
  id: 1,
  transaction_id: 1,
  xid: "'RV-1'",
  idempotency_key: "'k1'",
  status: "'PENDING'",
  created_at: at
})
const over = { status: "'DENIED'", processed_at: at }
const heard = { company_id: 1, transaction_id: 1, about: "'sale'", times: 1, first_at: at, last_at: at }
const question = rowsOf("cell.question", { ...heard, n: 1, answer: "'Unknown'" })
const replay = rowsOf("cell.replay", heard)
const resolution = rowsOf("cell.resolution", {
  company_id: 1,
  transaction_id: 1,
  verdict: "'failed'",
  reason: "'r'",
  proposed_by: "'ana'",
  proposed_at: at
})

type Case = readonly [what: string, guard: string, statements: ReadonlyArray<string>]

const ofMoney: ReadonlyArray<Case> = [
  ["an available balance below zero", "balance_available_check", [balance({ available: -1 })]],
  ["a held balance below zero", "balance_held_check", [balance({ held: -1 })]],
  ["more than JSON carries exactly", "balance_owned", [balance({ available: 9007199254740991, held: 1 })]],
  ["a daily limit below zero", "balance_limit_daily_check", [balance({ limit_daily: -1 })]],
  ["a weekly limit below zero", "balance_limit_weekly_check", [balance({ limit_weekly: -1 })]],
  ["a monthly limit below zero", "balance_limit_monthly_check", [balance({ limit_monthly: -1 })]],
  ["an alert below zero", "balance_low_balance_alert_check", [balance({ low_balance_alert: -1 })]],
  ["fewer than no sales", "balance_sales_check", [balance({ sales: -1 })]],
  ["fewer than no sales in blocks", "balance_sales_listed_check", [balance({ sales_listed: -1 })]],
  ["fewer than no entries", "balance_entries_check", [balance({ entries: -1 })]],
  ["fewer than no entries in blocks", "balance_entries_listed_check", [balance({ entries_listed: -1 })]],
  ["a consumption below zero", "consumption_total_check", [consumption({ total: -1 })]],
  ["an adjustment without a name", "adjustment_reference_check", [adjustment({ reference: "''" })]],
  ["a change of a ledger entry", "entry_append_only", [deposit(), "update cell.entry set amount = 1"]],
  ["the loss of a ledger entry", "entry_append_only", [deposit(), "delete from cell.entry"]],
  ["the loss of the ledger", "entry_append_only", ["truncate cell.entry"]],
  ["a second deposit of one reference", "entry_reference", [deposit(), deposit({ id: 2 })]],
  [
    "a second charge for one sale",
    "entry_transaction",
    [
      entry({ type: "'sale'", amount: -5, transaction_id: 1 }),
      entry({ id: 3, type: "'sale'", amount: -5, transaction_id: 1 })
    ]
  ],
  ["a sale entry that adds money", "entry_amount", [entry({ type: "'sale'", transaction_id: 1 })]],
  ["a deposit that takes money", "entry_amount", [deposit({ amount: -5 })]],
  ["an adjustment of nothing", "entry_amount", [deposit({ type: "'adjustment'", amount: 0 })]],
  ["a sale entry of no sale", "entry_of_sale", [entry({ type: "'sale'", amount: -5 })]],
  ["a deposit that names a sale", "entry_of_sale", [deposit({ transaction_id: 1 })]],
  ["a deposit without a reference", "entry_by_hand", [entry()]],
  ["an entry that leaves less than nothing", "entry_balance_check", [deposit({ balance: -1 })]],
  ["an entry of another kind", "entry_type_check", [entry({ type: "'gift'" })]]
]

const ofSales: ReadonlyArray<Case> = [
  ["a sale for nothing", "transaction_amount_check", [inFlight({ amount: 0 })]],
  ["a status that the contract does not have", "transaction_status_check", [inFlight({ ...failed, status: "'LOST'" })]],
  ["a pending sale that is over", "transaction_processed_at", [inFlight({ status: "'PENDING'", processed_at: at })]],
  ["a success that is not over", "transaction_processed_at", [sold({ processed_at: "null" })]],
  ["a success without its code", "transaction_auth_code", [sold({ auth_code: "null" })]],
  ["a failure with a code", "transaction_auth_code", [inFlight({ ...failed, auth_code: "'x'" })]],
  ["two live sales of one xid", "transaction_xid", [sold(), inFlight({ id: 2 })]],
  [
    "a bill that is paid twice",
    "transaction_bill",
    [sold({ bill_id: "'b'" }), inFlight({ id: 2, xid: "'RD-2'", bill_id: "'b'" })]
  ],
  [
    "a policy that is sold twice",
    "transaction_insurance",
    [sold({ insurance_id: 1 }), inFlight({ id: 2, xid: "'RD-2'", insurance_id: 1 })]
  ],
  ["another amount for a sale", "transaction_transition", [inFlight(), "update cell.transaction set amount = 1"]],
  ["another xid for a sale", "transaction_transition", [inFlight(), "update cell.transaction set xid = 'RD-9'"]],
  ["a key without a name", "idempotency_key_check", [key({ key: "''" })]],
  ["a key that is too long", "idempotency_key_check", [key({ key: "repeat('k', 129)" })]],
  ["an answered key without its answer", "idempotency_outcome", [key({ completed_at: at })]],
  ["an answer of nobody knows when", "idempotency_outcome", [key({ outcome: "'{}'" })]],
  ["a key that is settled before it is answered", "idempotency_settled_at", [key({ settled_at: at })]],
  ["an option for nothing", "option_price_check", [option({ price: 0 })]],
  ["a block that ends before it begins", "block_ids", [block({ last_id: 0 })]],
  ["a block of nothing", "block_members_check", [block({ members: 0 })]],
  ["a block of another list", "block_list_check", [block({ list: "'reversal'" })]]
]

const ofWhatFollows: ReadonlyArray<Case> = [
  ["a reversal of no sale", "reversal_company_id_transaction_id_fkey", [reversal()]],
  [
    "a second reversal of a sale while one stands",
    "reversal_live",
    [sold(), reversal(), reversal({ id: 2, xid: "'RV-2'" })]
  ],
  [
    "two live reversals of one xid",
    "reversal_xid",
    [sold(), sold({ id: 2, xid: "'RD-2'" }), reversal(), reversal({ id: 2, transaction_id: 2 })]
  ],
  ["a status that no reversal has", "reversal_status_check", [sold(), reversal({ ...over, status: "'LOST'" })]],
  ["a confirmed reversal that is not over", "reversal_processed_at", [sold(), reversal({ status: "'CONFIRMED'" })]],
  ["a question about no sale", "question_company_id_transaction_id_fkey", [question()]],
  ["a question about something else", "question_about_check", [sold(), question({ about: "'x'" })]],
  ["a question without an answer", "question_answer_check", [sold(), question({ answer: "''" })]],
  ["a question before the first", "question_n_check", [sold(), question({ n: 0 })]],
  ["a question that nobody asked", "question_times_check", [sold(), question({ times: 0 })]],
  ["a last question before the first", "question_last_at", [sold(), question({ first_at: later })]],
  ["a replay of no sale", "replay_company_id_transaction_id_fkey", [replay()]],
  ["a replay of something else", "replay_about_check", [sold(), replay({ about: "'x'" })]],
  ["a replay that nobody heard", "replay_times_check", [sold(), replay({ times: 0 })]],
  ["a last replay before the first", "replay_last_at", [sold(), replay({ first_at: later })]],
  ["a proposal for no sale", "resolution_company_id_transaction_id_fkey", [resolution()]],
  [
    "a finding of no reversal that there is",
    "resolution_company_id_reversal_id_fkey",
    [sold(), resolution({ verdict: "'stands'", reversal_id: 9 })]
  ],
  ["a finding of a reversal that names none", "resolution_reversal", [sold(), resolution({ verdict: "'reversed'" })]],
  [
    "a finding of a sale that names a reversal",
    "resolution_reversal",
    [sold(), reversal(), resolution({ reversal_id: 1 })]
  ],
  ["a finding that there is not", "resolution_verdict_check", [sold(), resolution({ verdict: "'lost'" })]],
  ["a success that was found without its code", "resolution_auth_code", [sold(), resolution({ verdict: "'success'" })]],
  [
    "an operator who confirms himself",
    "resolution_second_operator",
    [sold(), resolution({ confirmed_by: "'ana'", confirmed_at: at })]
  ],
  ["half a term of validity", "resolution_validity", [sold(), resolution({ valid_from: at })]],
  ["a confirmation of nobody knows when", "resolution_confirmed", [sold(), resolution({ confirmed_by: "'luis'" })]],
  ["a proposal before the first", "resolution_number_check", [sold(), resolution({ number: 0 })]],
  ["a proposal of nobody", "resolution_proposed_by_check", [sold(), resolution({ proposed_by: "''" })]],
  ["a proposal without a reason", "resolution_reason_check", [sold(), resolution({ reason: "''" })]]
]

const statuses = ["PROCESSING", "PENDING", "SUCCESS", "FAILED", "REVERSED"]
const reversalStatuses = ["PROCESSING", "PENDING", "CONFIRMED", "DENIED"]
const pairs = (all: ReadonlyArray<string>) => all.flatMap((from) => all.map((to) => [from, to] as const))

/** What a row must have in a status is another matter. */
const without = (table: string, checks: ReadonlyArray<string>) =>
  `alter table cell.${table} ${checks.map((check) => `drop constraint ${check}`).join()}`

layer(TestDatabase)("the tables of a cell", (it) => {
  it.effect.each([...ofMoney, ...ofSales, ...ofWhatFollows])("refuse %s", ([, guard, statements]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusedBy(statements), guard)
    })
  )

  it.effect("have no guard that was never seen to refuse", () =>
    Effect.gen(function* () {
      const seen = new Set([...ofMoney, ...ofSales, ...ofWhatFollows].map(([, guard]) => guard))
      // Insurances and their messages have a table of their own, and pairs of statuses stand below.
      const guards = yield* guardsIn("cell", (table) => !isOfInsurance(table))
      assert.deepStrictEqual([...seen, "reversal_transition"].sort(), guards)
    })
  )

  it.effect("let a sale fail that was not delivered, and sell its xid and its bill again", () =>
    Effect.gen(function* () {
      const again = inFlight({ id: 2, bill_id: "'b'" })
      assert.isNull(yield* refusedBy([inFlight({ ...failed, bill_id: "'b'" }), again]))
    })
  )

  it.effect("let a sale be reversed anew whose reversal was denied", () =>
    Effect.gen(function* () {
      assert.isNull(yield* refusedBy([sold(), reversal(over), reversal({ id: 2 })]))
    })
  )

  it.effect("let a sale go from status to status as section 3.1 has it, and no other way", () =>
    Effect.gen(function* () {
      const ways = ["PENDING", "SUCCESS", "FAILED"].map((to) => `PROCESSING ${to}`)
      const known = [...ways, "PENDING SUCCESS", "PENDING FAILED", "SUCCESS REVERSED"]
      for (const [from, to] of pairs(statuses)) {
        const expected = from === to || known.includes(`${from} ${to}`) ? null : "transaction_transition"
        const statements = [
          without("transaction", ["transaction_processed_at", "transaction_auth_code"]),
          inFlight({ status: `'${from}'` }),
          `update cell.transaction set status = '${to}'`
        ]
        assert.strictEqual(yield* refusedBy(statements), expected, `${from} to ${to}`)
      }
    })
  )

  it.effect("let a reversal end once, and never begin again", () =>
    Effect.gen(function* () {
      const known = ["PENDING", "CONFIRMED", "DENIED"].flatMap((to) => [`PROCESSING ${to}`, `PENDING ${to}`])
      for (const [from, to] of pairs(reversalStatuses)) {
        const expected = from === to || known.includes(`${from} ${to}`) ? null : "reversal_transition"
        const statements = [
          without("reversal", ["reversal_processed_at"]),
          sold(),
          reversal({ status: `'${from}'` }),
          `update cell.reversal set status = '${to}'`
        ]
        assert.strictEqual(yield* refusedBy(statements), expected, `${from} to ${to}`)
      }
    })
  )
})
