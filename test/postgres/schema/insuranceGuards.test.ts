import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { InsuranceState, insuranceTransitions } from "../../../core/domain/InsuranceState.ts"
import { TestDatabase } from "../../support/Database.ts"
import { guardsIn, isOfInsurance, refusedBy } from "../../support/SchemaGuards.ts"

const states = InsuranceState.literals
const pairs = states.flatMap((from) => states.map((to) => [from, to] as const))

const known = new Set(
  Object.values(insuranceTransitions).flatMap((row) => Object.entries(row).map(([from, to]) => `${from} -> ${to}`))
)

/** SQL that inserts an insurance with all columns that its state requires. */
const insurance = (state: InsuranceState, changes: Readonly<Record<string, string>> = {}): string => {
  const sold = ["cobrando", "emitiendo", "emitida", "fallida"].includes(state)
  const columns: Record<string, string> = {
    company_id: "1",
    id: "1",
    service_id: "6",
    environment: "'development'",
    state: `'${state}'`,
    plate: "'A123458'",
    insured: "'\\x00'",
    renewal: "false",
    reference: "'CASO-1'",
    versions: "'[]'",
    version: "'{}'",
    plan: "'{}'",
    offered_extras: "'[]'",
    code_hash: "''",
    code_expires_at: "'epoch'",
    quote_reference: "'COT-1'",
    quote_total: "100",
    quote_extras: "'[]'",
    quote_expires_at: "'epoch'",
    transaction_id: sold ? "1" : "null",
    ...(state === "emitida" && {
      policy_number: "'P-1'",
      valid_from: "'2026-01-01'",
      valid_until: "'2027-01-01'",
      issued_at: "'epoch'"
    }),
    created_at: "'epoch'",
    ...changes
  }
  return `insert into cell.insurance (${Object.keys(columns).join()}) values (${Object.values(columns).join()})`
}

const sms = (status: string, sealed: string, settled: string, insuranceId = 1): string => `
  insert into cell.sms (
    company_id, id, insurance_id, environment, status, sealed, created_at, expires_at, send_at, settled_at
  )
  values (1, gen_random_uuid(), ${insuranceId}, 'development', '${status}', ${sealed}, 'epoch', 'epoch', 'epoch', ${settled})`

const sale = (id: number, status: string): string => `
  insert into cell.transaction (
    company_id, id, xid, idempotency_key, status, environment, service_id, service_name, service_type, identifier,
    amount, reversible, day, created_at, processed_at, auth_code, insurance_id
  )
  values (
    1, ${id}, 'RD-${id}', 'k${id}', '${status}', 'development', 6, 's', 'insurance', 'A123458', 100, false, 'epoch', 'epoch',
    ${status === "FAILED" || status === "SUCCESS" ? "'epoch'" : "null"}, ${status === "SUCCESS" ? "'x'" : "null"}, 1
  )`

// Drops the checks on columns that depend on the state, so that only the rule of transitions can fail.
const withoutChecks = `
  do $do$
  declare
    one text;
  begin
    for one in select conname from pg_constraint where conrelid = 'cell.insurance'::regclass and contype = 'c' loop
      execute format('alter table cell.insurance drop constraint %I', one);
    end loop;
  end
  $do$`

const refusals: ReadonlyArray<readonly [what: string, guard: string, statements: ReadonlyArray<string>]> = [
  ["a sixth attempt", "insurance_attempts_check", [insurance("otp_enviado", { attempts: "6" })]],
  ["a sixth resend", "insurance_resends_check", [insurance("otp_enviado", { resends: "6" })]],
  [
    "a seventh resend after one undelivered message",
    "insurance_resends_check",
    [insurance("otp_enviado", { resends: "6", undelivered: "1" }), "update cell.insurance set resends = 7"]
  ],
  [
    "a negative number of undelivered messages",
    "insurance_undelivered_check",
    [insurance("otp_enviado", { undelivered: "-1" })]
  ],
  ["a quote without its reference", "insurance_quote", [insurance("cotizado", { quote_reference: "null" })]],
  ["a quote without its extras", "insurance_quote", [insurance("cotizado", { quote_extras: "null" })]],
  ["a quote without an expiry", "insurance_quote", [insurance("cotizado", { quote_expires_at: "null" })]],
  ["a plan without its version", "insurance_plan", [insurance("plan_confirmado", { version: "null" })]],
  [
    "a quoted insurance without a quote",
    "insurance_quoted",
    [
      insurance("cotizado", {
        quote_reference: "null",
        quote_total: "null",
        quote_extras: "null",
        quote_expires_at: "null"
      })
    ]
  ],
  ["a quote of zero", "insurance_quote_total_check", [insurance("cotizado", { quote_total: "0" })]],
  ["an insurance in cobrando without a sale", "insurance_sale", [insurance("cobrando", { transaction_id: "null" })]],
  ["an insurance in cotizado with a sale", "insurance_sale", [insurance("cotizado", { transaction_id: "1" })]],
  ["an issued policy without a number", "insurance_policy", [insurance("emitida", { policy_number: "null" })]],
  [
    "a policy number before the policy is issued",
    "insurance_policy",
    [insurance("emitiendo", { policy_number: "'P-1'" })]
  ],
  ["an unknown state", "insurance_state", [insurance("cotizado", { state: "'pagada'" })]],
  ["an SMS without an insurance", "sms_company_id_insurance_id_fkey", [sms("staged", "'\\x00'", "null")]],
  ["a queued SMS without its text", "sms_sealed", [insurance("iniciada"), sms("staged", "null", "null")]],
  ["a sent SMS that still has its text", "sms_sealed", [insurance("iniciada"), sms("sent", "'\\x00'", "'epoch'")]],
  ["a sent SMS without a settlement time", "sms_settled_at", [insurance("iniciada"), sms("sent", "null", "null")]],
  [
    "a due delivery query for a failed SMS",
    "sms_ask_at",
    [insurance("iniciada"), sms("failed", "null", "'epoch'"), "update cell.sms set ask_at = 'epoch'"]
  ],
  ["an SMS with an unknown status", "sms_status_check", [insurance("iniciada"), sms("lost", "null", "'epoch'")]]
]

layer(TestDatabase)("the insurance table", (it) => {
  it.effect("allows the same state transitions as the TypeScript code", () =>
    Effect.gen(function* () {
      assert.lengthOf(pairs, 81)
      for (const [from, to] of pairs) {
        const moved = yield* refusedBy([withoutChecks, insurance(from), `update cell.insurance set state = '${to}'`])
        const expected = from === to || known.has(`${from} -> ${to}`) ? null : "insurance_transition"
        assert.strictEqual(moved, expected, `${from} -> ${to}`)
      }
    })
  )

  it.effect.each(states)("accepts an insurance in %s", (state) =>
    Effect.gen(function* () {
      assert.isNull(yield* refusedBy([insurance(state)]))
    })
  )

  it.effect.each(refusals)("rejects %s", ([, guard, statements]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusedBy(statements), guard)
    })
  )

  it.effect("has a case above for every constraint, including those of the SMS table", () =>
    Effect.gen(function* () {
      const seen = new Set(refusals.map(([, guard]) => guard))
      const guards = yield* guardsIn("cell", isOfInsurance)
      assert.deepStrictEqual([...seen, "insurance_transition"].sort(), guards)
    })
  )

  it.effect("allows a new sale of a quote after a failed sale", () =>
    Effect.gen(function* () {
      assert.isNull(yield* refusedBy([sale(1, "FAILED"), sale(2, "PROCESSING")]))
    })
  )
})
