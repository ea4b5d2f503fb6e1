import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Data, Effect, Result } from "effect"
import { InsuranceState } from "../../core/domain/InsuranceState.ts"
import { insuranceTransitions } from "../../core/domain/InsuranceTransitions.ts"
import { TestDatabase } from "../support/Database.ts"

const states = InsuranceState.literals
const pairs = states.flatMap((from) => states.map((to) => [from, to] as const))

const known = new Set(
  Object.values(insuranceTransitions).flatMap((row) => Object.entries(row).map(([from, to]) => `${from} -> ${to}`))
)

class Undone extends Data.TaggedError("Undone") {}

/** Runs on the database and undoes it, and tells whether the database let it happen. */
const allowed = Effect.fnUntraced(function* (statements: ReadonlyArray<string>) {
  const sql = yield* PgClient.PgClient
  const run = Effect.forEach(statements, (statement) => sql.unsafe(statement).unprepared, { discard: true })
  const result = yield* Effect.result(sql.withTransaction(Effect.andThen(run, Effect.fail(new Undone()))))
  if (Result.isSuccess(result)) return yield* Effect.die(new Error("it should have been undone"))
  if (result.failure._tag === "Undone") return "allowed"
  const { reason } = result.failure
  return reason._tag === "ConstraintError" || reason._tag === "UniqueViolation" ? "refused" : String(reason)
})

/** An insurance in a state, with all that a row in that state must have. */
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

// What a row must have in a state is another matter.
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

layer(TestDatabase)("the table of insurances", (it) => {
  it.effect("changes a state as the code does, pair by pair", () =>
    Effect.gen(function* () {
      assert.lengthOf(pairs, 81)
      for (const [from, to] of pairs) {
        const moved = yield* allowed([withoutChecks, insurance(from), `update cell.insurance set state = '${to}'`])
        const expected = from === to || known.has(`${from} -> ${to}`) ? "allowed" : "refused"
        assert.strictEqual(moved, expected, `${from} -> ${to}`)
      }
    })
  )

  it.effect.each(states)("has room for an insurance in %s", (state) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* allowed([insurance(state)]), "allowed")
    })
  )

  it.effect.each([
    ["a sixth attempt", [insurance("otp_enviado", { attempts: "6" })]],
    ["a sixth resend", [insurance("otp_enviado", { resends: "6" })]],
    ["half a quote", [insurance("plan_confirmado", { quote_total: "null" })]],
    ["a plan without its version", [insurance("plan_confirmado", { version: "null" })]],
    [
      "a quoted insurance without a quote",
      [
        insurance("cotizado", {
          quote_reference: "null",
          quote_total: "null",
          quote_extras: "null",
          quote_expires_at: "null"
        })
      ]
    ],
    ["a quote for nothing", [insurance("cotizado", { quote_total: "0" })]],
    ["an insurance that is being sold without its sale", [insurance("cobrando", { transaction_id: "null" })]],
    ["a sale of what is not being sold", [insurance("cotizado", { transaction_id: "1" })]],
    ["a policy without its number", [insurance("emitida", { policy_number: "null" })]],
    ["a policy number before the policy", [insurance("emitiendo", { policy_number: "'P-1'" })]],
    ["a state that the contract does not have", [insurance("cotizado", { state: "'pagada'" })]],
    ["two live sales of one insurance", [sale(1, "SUCCESS"), sale(2, "PROCESSING")]],
    ["a message of no insurance", [sms("staged", "'\\x00'", "null")]],
    ["a staged message without its text", [insurance("iniciada"), sms("staged", "null", "null")]],
    ["a sent message with its text", [insurance("iniciada"), sms("sent", "'\\x00'", "'epoch'")]],
    ["a sent message that is not over", [insurance("iniciada"), sms("sent", "null", "null")]]
  ] as const)("refuses %s", ([, statements]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* allowed(statements), "refused")
    })
  )

  it.effect("lets a quote be sold again whose sale was not", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* allowed([sale(1, "FAILED"), sale(2, "PROCESSING")]), "allowed")
    })
  )
})
